/* How much a context keeps, how long, and what goes first. */
#ifndef LOCI_RETENTION_H
#define LOCI_RETENTION_H

#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"

#define EVICTION(X) X(EVICT_RELEVANCE, "relevance") X(EVICT_LRU, "lru") X(EVICT_OLDEST, "oldest") X(EVICT_REJECT, "reject")
ENUMX_DECLARE(eviction, EVICTION);

/* What becomes of entries that nobody needs any more, by their staleness (staleness.h). */
struct rot_policy {
    bool enabled;
    double review_at, archive_at;
};
#define DEDUP(X) X(DEDUP_MERGE, "merge") X(DEDUP_REVIEW, "review") X(DEDUP_OFF, "off")
ENUMX_DECLARE(dedup, DEDUP);

struct retention {
    int64_t max_entries, max_size_bytes; /* the ceilings of every context where nothing is said */
    int64_t max_age_days, ttl_seconds;   /* 0: none */
    bool archive_before_delete;
    enum eviction eviction;
    struct rot_policy rot;
    enum dedup dedup; /* of entries that say the same */
};

/* Is it a policy? ERR_INVALID naming the member below /retention_policy and what is allowed. */
err retention_check(struct ctx *c, const struct json *policy);
/* What a policy that was checked says, defaults filled in. */
void retention_read(const struct json *policy, struct retention *out);

#endif
