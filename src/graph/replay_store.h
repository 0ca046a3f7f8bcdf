/* The rows of idempotency keys; only replay.c includes this. */
#ifndef LOCI_REPLAY_STORE_H
#define LOCI_REPLAY_STORE_H

#include <stdbool.h>

#include "replay.h"

struct replay_row {
    const char *state; /* running, committed, done */
    struct bytes request_hash;
    int status;
    struct bytes body;
    const char *headers;
    struct instant lease_until, expires_at;
};

/* *mine: the key was free and is held now. */
err replay_store_insert(struct ctx *c, const struct replay *r, bool *mine);
/* ERR_CONFLICT while another transaction holds the row: its request is running. */
err replay_store_look(struct ctx *c, const struct replay *r, bool *found, struct replay_row *out);
/* A row whose life is over. */
err replay_store_drop_old(struct ctx *c, const struct replay *r);
/* A whole row at once, unless there is one. */
err replay_store_insert_done(struct ctx *c, const struct replay *r, int status, struct bytes body, const char *headers);
/* The answer of the row that this transaction has inserted. */
err replay_store_answer(struct ctx *c, const struct replay *r, const char *state, int status, struct bytes body,
                        const char *headers);
err replay_store_get(struct ctx *c, const struct replay *r, bool *found, struct replay_row *out);
/* Takes a row over whose lease or life is over, unless somebody else was quicker: old is what was read. */
err replay_store_take(struct ctx *c, const struct replay *r, const struct replay_row *old, bool *mine);
/* The following change a row only while it is ours (lease_until). */
err replay_store_committed(struct ctx *c, const struct replay *r, bool *mine);
err replay_store_done(struct ctx *c, const struct replay *r, int status, struct bytes body, const char *headers);
err replay_store_free(struct ctx *c, const struct replay *r);
err replay_store_purge(struct ctx *c, int64_t limit, int64_t *n);

#endif
