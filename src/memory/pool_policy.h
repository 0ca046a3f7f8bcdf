/* What a pool keeps: limits, time to live, and who makes room. */
#ifndef LOCI_POOL_POLICY_H
#define LOCI_POOL_POLICY_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"

#define POOL_BYTES 5000000      /* of keys and values, unless the pool says otherwise … */
#define POOL_BYTES_MAX 50000000 /* … up to here */
#define POOL_ENTRIES 1000
#define POOL_ENTRIES_MAX 50000
#define POOL_TTL_MAX 31536000 /* seconds */

#define POOL_EVICTION(X) \
    X(POOL_EVICT_LRU, "lru") X(POOL_EVICT_LFU, "lfu") X(POOL_EVICT_OLDEST, "oldest") X(POOL_EVICT_IMPORTANCE, "importance") \
    X(POOL_EVICT_REJECT, "reject")
ENUMX_DECLARE(pool_eviction, POOL_EVICTION);

struct pool_policy {
    int64_t ttl_seconds; /* of a key, from its last write; 0: none */
    int64_t max_size_bytes, max_entries;
    enum pool_eviction eviction;
};

/* From what a caller or a row says (NULL: nothing); the rest are defaults. ERR_INVALID naming the member below
 * /retention_policy. `cleanup_strategy` is another name of `eviction`. */
err pool_policy_read(struct ctx *c, const struct json *said, struct pool_policy *out);
/* All of it, as pool_policy_read takes it. */
struct json *pool_policy_json(struct arena *a, const struct pool_policy *p);

#endif
