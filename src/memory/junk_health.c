/* The last junk audit in one line; see junk.h. */
#include "junk_store.h"

err junk_health(struct ctx *c, struct health_part *p)
{
    struct junk_day last;
    int64_t found[FINDING_CLASSES];
    size_t n;

    *p = (struct health_part){.name = "memory", .ok = true, .off = true, .detail = "no audit yet: run the job junk_audit"};
    TRY(junk_store_days(c, &last, 1, &n));
    if (!n)
        return ERR_OK;
    TRY(junk_store_classes(c, last.day, found));
    p->off = false;
    p->ok = (double)last.junk <= JUNK_TOO_MUCH * (double)last.nodes;
    p->detail = arena_printf(c->arena, "junk: %lld of %lld; stale, waiting for review: %lld (%s)", (long long)last.junk,
                             (long long)last.nodes, (long long)found[FINDING_STALE], last.day);
    return ERR_OK;
}
