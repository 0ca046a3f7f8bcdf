/* One door to the tiers of an agent's memory: reading asks them in turn, writing names one. */
#ifndef LOCI_TIERED_H
#define LOCI_TIERED_H

#include <stdbool.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "short_term.h"

/* In the order in which they are asked. */
#define MEMORY_TIER(X) X(TIER_WORKING, "working") X(TIER_SHORT_TERM, "short_term") X(TIER_LONG_TERM, "long_term") \
    X(TIER_SHARED, "shared")
ENUMX_DECLARE(memory_tier, MEMORY_TIER);

struct tiered_key {
    struct uuid agent_id;
    const char *session_id;       /* NULL: none in working memory, `default` in short-term memory */
    const char *run_id, *task_id; /* of working memory, and whose pools are asked; NULL: none */
    const char *pool_id;          /* of the shared tier: this pool; NULL: reading asks in turn, writing means `default` */
    const char *key;
    int tier; /* an enum's value, or -1: all of them */
};

struct tiered_found {
    bool found;
    const char *tier, *key; /* tier: NULL when it is in none */
    const struct json *value;
    struct uuid id;      /* nil: it has none */
    int64_t version;     /* 0: likewise */
    struct strs skipped; /* tiers that could not be asked */
};

struct tiered_new {
    struct tiered_key at;
    const struct json *value;
    int64_t ttl_s; /* 0: the tier's own default */
    int type;      /* of short_term_type, or -1: the tier's own default */
    struct strs tags;
};

struct tiered_written {
    const char *tier, *key;
    struct uuid id;
    int64_t version;
    struct instant expires_at;
};

/* The first hit wins, and counts as use unless peek. A miss is an answer, not a failure. */
err tiered_read(struct ctx *c, const struct tiered_key *at, bool peek, struct tiered_found *out);
err tiered_write(struct ctx *c, const struct tiered_new *in, struct tiered_written *out);
err tiered_delete(struct ctx *c, const struct tiered_key *at, bool *was_there);

#endif
