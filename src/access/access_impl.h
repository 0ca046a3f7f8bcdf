/* What the files of the access gate share; nobody else includes this. */
#ifndef LOCI_ACCESS_IMPL_H
#define LOCI_ACCESS_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "token_text.h"

#define ACCESS_MAX_AGE_US (30 * SECOND_US) /* a cached set is read again after this in any case */
#define ACCESS_CACHE_BYTES (64u * 1024 * 1024)
#define ACCESS_KEY 32
#define ACCESS_LEASE_US (SECOND_US / 2) /* what was taken from a bucket and not spent by then is gone */
#define GENERATION_MAX 64

struct app;

/* What MariaDB says of a caller. */
struct access_load {
    struct principal who;
    struct access access;
    char stamp[ACCESS_STAMP];      /* people: their sessions end when it changes; else "" */
    char prefix[TOKEN_PREFIX + 1]; /* tokens; else "" */
    struct instant good_until;     /* the first moment at which a grant, space or token in it expires; 0: none */
    struct instant last_used_at;   /* of the token */
};

/* ---- access_cache.c: compiled sets, shared by the threads of a process. An entry does not change once it is in. */

struct access_entry {
    struct access_load load;
    char generation[GENERATION_MAX];
    int64_t loaded_us; /* monotonic */
};

/* What the process knew of changes at one moment: see access_cache_listen. */
struct access_moment {
    uint64_t subscription; /* 0: changes are not heard */
    uint64_t heard;        /* messages so far */
};

/* Requests that were taken from a token's bucket in one go, to be spent without asking Redis again. */
struct access_lease {
    int taken, left;
    int64_t until_us;       /* monotonic */
    struct rate_state rate; /* as Redis told it */
};

/* The entry, with a reference that ends with the request's arena; NULL: none. */
const struct access_entry *access_cache_find(struct access_cache *cache, struct arena *a, const uint8_t key[ACCESS_KEY]);
/* Copies load. */
void access_cache_put(struct access_cache *cache, const uint8_t key[ACCESS_KEY], const struct access_load *load,
                      const char *generation, int64_t loaded_us);
void access_cache_clear(struct access_cache *cache);
void access_cache_size(struct access_cache *cache, size_t *entries, size_t *bytes);

/* Hears what other processes have told of changes, without waiting: their accounts' entries are no longer trusted when this
 * returns. */
struct access_moment access_cache_listen(struct access_cache *cache, const struct app *app);
/* For changes.c: sets of this account (nil: all) have changed. */
void access_cache_heard(struct access_cache *cache, struct uuid account_id);
/* The gate has said after `at` that the entry is current: as long as nothing else is heard it may be used without asking,
 * while its lease lasts. Ignored when something was heard since. */
void access_cache_trust(struct access_cache *cache, const struct access_entry *e, struct access_moment at,
                        const struct access_lease *lease);
/* How many requests to take next time, at most max: as many as were spent of the last lease, twice as many when it did not
 * last. What is taken and not spent is lost to the caller, so that a slow one takes one at a time. */
int access_cache_want(struct access_cache *cache, const struct access_entry *e, int max);
/* Takes one request out of the lease of a trusted entry; false: the gate must be asked. */
bool access_cache_spend(struct access_cache *cache, const struct access_entry *e, struct access_moment at,
                        struct rate_state *rate);
/* The entry is current, as far as anything was heard. */
bool access_cache_is_trusted(struct access_cache *cache, const struct access_entry *e, struct access_moment at);
/* At most once a minute: whether to say that Redis is away. */
bool access_cache_may_complain(struct access_cache *cache);

/* ---- access_store.c: MariaDB */

/* Finds the token by its prefix and checks its hash; *found. It may still be expired, revoked or orphaned. */
err access_store_locate(struct ctx *c, const char *prefix, const uint8_t hash[TOKEN_HASH], bool *found,
                        struct uuid *account_id, struct uuid *token_id);
/* Everything about a caller, when the credential counts now. */
err access_store_token(struct ctx *c, struct uuid account_id, struct uuid token_id, bool *found, struct access_load *out);
err access_store_user(struct ctx *c, struct uuid account_id, struct uuid user_id, bool *found, struct access_load *out);
err access_store_system(struct ctx *c, struct uuid account_id, bool *found, struct access_load *out);
/* Notes the use of a token, not more often than once a minute. */
err access_store_used(struct ctx *c, const struct principal *who);
err access_store_agent(struct ctx *c, struct uuid account_id, struct uuid agent_id, bool *found, struct access_load *out);
/* The caller's role and, of an agent, its work roles. */
err access_store_roles(struct ctx *c, struct strs *out);

/* ---- access_gate_store.c: Redis */

/* What one round trip tells. */
struct gate {
    bool known; /* false: Redis is away */
    bool dirty; /* a change is under way: neither use nor fill the cache */
    char generation[GENERATION_MAX];
};

/* Reads the account's generation and takes up to `want` requests from the bucket `rate:<bucket>`; lease tells how many,
 * this one included. ERR_RATE when it is empty. want 0: only the generation. */
err access_gate_token(struct ctx *c, struct uuid account_id, const char *bucket, int want, struct gate *gate,
                      struct access_lease *lease);

struct gate_session {
    bool found;
    struct uuid user_id;
    const char *csrf, *stamp;
};
/* The same for a session, whose idle time starts again. Redis away: ERR_UNAVAILABLE. */
err access_gate_session(struct ctx *c, struct uuid account_id, const char *session_id, struct gate *gate,
                        struct gate_session *session, struct rate_state *rate);
/* Marks the account's sets as changing, until access_gate_settled with the same nonce, and tells every process. */
err access_gate_dirty(struct ctx *c, struct uuid account_id, const char *nonce);
err access_gate_settled(struct ctx *c, struct uuid account_id, const char *nonce);

#endif
