/* What is left to do, counted in the database; and the question to all processes, by way of Redis. */
#ifndef LOCI_SETTLE_STORE_H
#define LOCI_SETTLE_STORE_H

#include "ctx.h"
#include "list.h"

#define SETTLE_CHANNEL "loci:settle"

/* Of the account, or of all where it is nil; kinds: none means all. */
err settle_store_tasks(struct ctx *c, struct uuid account_id, const struct strs *kinds, struct instant now, int64_t *due, int64_t *later);
err settle_store_runs(struct ctx *c, struct uuid account_id, int64_t *open);
err settle_store_accounts(struct ctx *c, struct uuid *ids, size_t max, size_t *n);

/* Asks each process that listens; *asked: how many do. Each answers once. */
err settle_store_ask(struct ctx *c, struct uuid question, struct uuid account_id, int64_t *asked);
err settle_store_answer(struct ctx *c, struct uuid question, int64_t left);
/* The next answer, after a short wait; *got false: there was none. */
err settle_store_await(struct ctx *c, struct uuid question, bool *got, int64_t *left);

#endif
