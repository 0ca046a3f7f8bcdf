/* The nightly judgement of shared knowledge; see knowledge_upkeep.h. */
#include "knowledge_upkeep.h"

#include "knowledge_upkeep_store.h"

static struct instant too_old(const struct ctx *c)
{
    return (struct instant){c->now.us - QUALITY_AGE_US};
}

err knowledge_upkeep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return knowledge_upkeep_store_accounts(c, too_old(c), above, ids, max, n);
}

err knowledge_upkeep_scan(struct ctx *c, const struct knowledge_position *after, size_t max, struct knowledge_row *rows, size_t *n)
{
    return knowledge_upkeep_store_scan(c, after, too_old(c), max, rows, n);
}

static bool is_stale(const struct ctx *c, const struct knowledge_facts *f, double quality)
{
    struct instant used = f->last_used_at.us ? f->last_used_at : f->created_at;

    return quality < QUALITY_STALE && used.us <= c->now.us - QUALITY_STALE_DAYS * DAY_US;
}

err knowledge_upkeep_apply(struct ctx *c, const struct knowledge_row *rows, size_t n, size_t *became_stale)
{
    struct knowledge_row *now = arena_memdup(c->arena, rows, n * sizeof *rows);

    *became_stale = 0;
    for (size_t i = 0; i < n; i++) {
        struct knowledge_row *r = &now[i];

        r->quality = knowledge_quality(&r->facts, c->now);
        if (!is_stale(c, &r->facts, r->quality)) {
            r->stale_at = (struct instant){0};
        } else if (!r->stale_at.us) {
            r->stale_at = c->now;
            ++*became_stale;
        }
    }
    return knowledge_upkeep_store_write(c, now, n);
}
