/* Nodes that were just written wait here for their vectors, which a thread of this process makes. */
#ifndef LOCI_VECTOR_FEED_H
#define LOCI_VECTOR_FEED_H

#include "ctx.h"

struct app;
struct vector_feed;

/* Starts the thread; begin and end are called by it around its life. What does not fit in the queue, and what the queue
 * holds when the process ends, the job embedding_backfill finds. */
struct vector_feed *vector_feed_new(const struct app *app, void (*begin)(struct ctx *c), void (*end)(struct ctx *c));
/* Ends the thread behind the batch it works on. false: that takes too long, and the thread still runs. */
bool vector_feed_free(struct vector_feed *f);

/* For struct app.nodes_written: never waits for anything but a short lock. */
void vector_feed_nodes(struct ctx *c, const struct uuid *ids, size_t n);
/* Nodes that wait in this process. */
size_t vector_feed_waiting(struct vector_feed *f);

#endif
