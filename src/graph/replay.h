/* Idempotency keys: a POST that is repeated within a day is answered again, not done again. */
#ifndef LOCI_REPLAY_H
#define LOCI_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "str.h"

#define REPLAY_HOURS 24
#define REPLAY_HASH 32

/* This request's hold on its key. */
struct replay {
    uint8_t key_hash[REPLAY_HASH], request_hash[REPLAY_HASH];
    struct instant lease_until;
    struct db_hold *hold; /* the same for all tries of the request */
    bool is_old;          /* a row is there whose life is over */
    bool is_late;         /* another request with the key was quicker */
};

struct replay_answer {
    int status;
    struct bytes body;
    const char *etag, *location; /* NULL: none */
    bool is_secret;              /* not kept: a repetition is told that it was done, not answered */
};

/* Asks for the key, after the gate. *found: the answer of the first time. *found NULL: the request is to be carried out, in one
 * transaction with the key and the answer (c->hold), so that all are saved or nothing is; replay_settle must follow. own is
 * zero before the first try.
 * ERR_CONFLICT: the first one is still running, or its answer held a secret. ERR_INVALID: another body than the first time, or
 * a key longer than 255 bytes or not of visible ASCII. */
err replay_hold(struct ctx *c, const char *method, const char *path, const char *key, struct bytes body, struct replay *own,
                struct replay_answer **found);
/* Saves the change with its answer: of successes, and of refusals that would come again (4xx but not 401, 408, 425 and 429).
 * After any other the change is undone, and the key is free. *again: nothing was saved through no fault of the request, or the
 * connection was lost in the commit: ask for the key again. */
err replay_settle(struct ctx *c, struct replay *own, const struct replay_answer *answer, bool *again);

/* For an operation that works in several transactions (OP_PORTIONS): the key is taken before it begins. *found NULL: it is to be
 * carried out; its transactions will mark the key as committed (c->before_commit), and replay_finish or replay_abandon must
 * follow. Errors as above. One that was carried out in part is carried out again (may_repeat), or ERR_CONFLICT. */
err replay_begin(struct ctx *c, const char *method, const char *path, const char *key, struct bytes body,
                 bool may_repeat, struct replay *own, struct replay_answer **found);
/* Keeps the answer: of successes, and of refusals that would come again (4xx but not 401, 408, 425 and 429). Any other
 * frees the key, unless something was committed. A failure is logged, not passed on: the caller has its answer. */
void replay_finish(struct ctx *c, const struct replay *own, const struct replay_answer *answer);
/* The request came to nothing: the key may be used again at once, unless something was committed. */
void replay_abandon(struct ctx *c, const struct replay *own);
/* For the jobs, across accounts: removes at most limit keys that have expired. */
err replay_purge(struct ctx *c, int64_t limit, int64_t *n);

#endif
