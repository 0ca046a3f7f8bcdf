/* Nodes that were just written wait here for their vectors, which threads of this process make. */
#ifndef LOCI_VECTOR_FEED_H
#define LOCI_VECTOR_FEED_H

#include "ctx.h"

struct app;
struct vector_feed;

/* Starts its threads and app->embed_crew; begin and end are called by each around its life. What does not fit in the queue
 * (embed.queue) is read from the data again once the queue gets short; what it holds when the process ends, the job
 * embedding_backfill finds. */
struct vector_feed *vector_feed_new(struct app *app, void (*begin)(struct ctx *c), void (*end)(struct ctx *c));
/* Ends the threads behind the batches they work on. false: that takes too long, and some still run. */
bool vector_feed_free(struct vector_feed *f);

/* For struct app.nodes_written: never waits for anything but a short lock. */
void vector_feed_nodes(struct ctx *c, const struct uuid *ids, size_t n);
/* Nodes of an account that wait in this process, those included that did not fit in the queue. */
size_t vector_feed_waiting_of(struct vector_feed *f, struct uuid account_id);

#endif
