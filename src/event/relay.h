/* The relay: numbers what has happened in an account, in MariaDB, and puts it where listeners hear it. */
#ifndef LOCI_RELAY_H
#define LOCI_RELAY_H

#include <stdbool.h>

#include "ctx.h"

struct app;
struct relay;

#define RELAY_BATCH 1000 /* events that are numbered at once */

struct relay_done {
    int64_t numbered, published;
    bool is_numbered; /* also where publishing failed */
    bool more;        /* the batch was full */
};

/* One turn in the caller's account (c->account_id). Any number of them may run at once. since: when the oldest of the requests began
 * whose events are to be numbered; 0: not known, then it looks for what has been left behind, too. ERR_UNAVAILABLE: they are
 * numbered, but Redis is away; those who listen read MariaDB meanwhile. */
err relay_turn(struct ctx *c, struct instant since, struct relay_done *out);
/* Accounts in which a turn would find something, or which were quiet for too short a time to be sure. */
err relay_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Events of the caller's account that subscribers do not see yet. */
err relay_count_waiting(struct ctx *c, int64_t *n);
/* Deletes at most limit batches that are older than the outbox keeps events. */
err relay_purge(struct ctx *c, int64_t limit, int64_t *n);
err relay_purge_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

/* ---- relay_thread.c: a thread of the process that takes a turn as soon as something was committed (struct app.relay) */

struct relay *relay_new(const struct app *app, void (*begin)(struct ctx *c), void (*end)(struct ctx *c));
/* false: it is stuck in a foreign wait, and the process had better end without it. */
bool relay_free(struct relay *r);
/* Whether the account waits for its turn, or has it; nil: how many accounts do. */
size_t relay_holds(struct relay *r, struct uuid account_id);
/* struct app.news_made. */
void relay_news(struct ctx *c);

#endif
