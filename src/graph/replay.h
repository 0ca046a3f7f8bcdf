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
    uint8_t key_hash[REPLAY_HASH];
    struct instant lease_until;
};

struct replay_answer {
    int status;
    struct bytes body;
    const char *etag, *location;     /* NULL: none */
    bool is_secret;                  /* not kept: a repetition is told that it was done, not answered */
};

/* Asks for the key, after the gate. *found NULL: the request is to be carried out; its transaction will mark the key as
 * committed (c->before_commit), and replay_finish or replay_abandon must follow. *found: the answer of the first time.
 * ERR_CONFLICT: the first one is still running, or was done but its answer is not kept. ERR_INVALID: another body than the
 * first time, or a key longer than 255 bytes or not of visible ASCII. */
err replay_begin(struct ctx *c, const char *method, const char *path, const char *key, struct bytes body,
                 struct replay *own, struct replay_answer **found);
/* Keeps the answer: of successes, and of refusals that would come again (4xx but not 401, 408, 425 and 429). Any other
 * frees the key, unless something was committed. A failure is logged, not passed on: the caller has its answer. */
void replay_finish(struct ctx *c, const struct replay *own, const struct replay_answer *answer);
/* The request came to nothing: the key may be used again at once, unless something was committed. */
void replay_abandon(struct ctx *c, const struct replay *own);
/* For the jobs, across accounts: removes at most limit keys that have expired. */
err replay_purge(struct ctx *c, int64_t limit, int64_t *n);

#endif
