/* Redis of working memory: one string per key, beside them the expiry and the size of each. */
#ifndef LOCI_WORKING_STORE_H
#define LOCI_WORKING_STORE_H

#include "live_search.h"
#include "working.h"

/* What a script says of a write. */
enum working_word { WORKING_OK, WORKING_EXISTS, WORKING_FULL_KEYS, WORKING_FULL_BYTES, WORKING_FULL_SCOPES, WORKING_NOT_THAT };

struct working_written {
    enum working_word word;
    int64_t expires_ms, size_bytes; /* of what is there now */
    const char *oldest;             /* WORKING_FULL_SCOPES: the scope that was written to least recently */
    int64_t left_ms;                /* by the clock of Redis, whose expiries these are */
};

/* value is JSON text. */
err working_store_put(struct ctx *c, const struct working_scope *s, const char *key, const char *value, int64_t ttl_s,
                      bool if_absent, struct working_written *out);
/* item is JSON, such as a message; the list drops its oldest beyond these numbers. */
err working_store_push(struct ctx *c, const struct working_scope *s, const char *key, const char *item, int64_t ttl_s,
                       struct working_written *out);
/* text is a JSON string; a blank line before it. */
err working_store_add_text(struct ctx *c, const struct working_scope *s, const char *key, const char *text, int64_t ttl_s,
                           struct working_written *out);
/* Like put, but it counts what others have put there. */
err working_store_share(struct ctx *c, const struct working_scope *target, const char *key, const char *value, int64_t ttl_s,
                        bool if_absent, struct working_written *out);
err working_store_get(struct ctx *c, const struct working_scope *s, const char *key, const char **value); /* NULL: absent */
err working_store_remove(struct ctx *c, const struct working_scope *s, const char *key, bool *was_there);
err working_store_clear(struct ctx *c, const struct working_scope *s, int64_t *n);
/* Live keys, in no order. */
err working_store_keys(struct ctx *c, const struct working_scope *s, struct strs *keys);
/* Their values, in the same order; NULL: gone since. */
err working_store_values(struct ctx *c, const struct working_scope *s, struct strs keys, const char ***values);
/* Live keys with the first bytes of their values (possibly cut in a character), at most max; all: of all scopes of the agent, the one
 * written to last first. */
err working_store_heads(struct ctx *c, const struct working_scope *s, bool all, int64_t bytes, struct live_key *keys, size_t max,
                        size_t *n);
err working_store_stats(struct ctx *c, const struct working_scope *s, int64_t *keys, int64_t *bytes);

#endif
