/* Counting, or remembering what was counted; see figures.h. */
#include "figures.h"

#include "access.h"
#include "figures_store.h"

/* Counts are of what one may read: whoever may read the same may have the same. */
static uint64_t readable_hash(const struct ctx *c)
{
    return hash_bytes(c->access->readable, c->access->n * sizeof *c->access->readable, 0);
}

err figures_of(struct ctx *c, const char *name, figures_count count, const struct json **out)
{
    struct json *kept = NULL, *fresh;
    uint64_t who = readable_hash(c);
    int64_t began;
    char at[INSTANT_TEXT];

    if (figures_store_get(c, name, who, &kept) != ERR_OK)
        ctx_forgive(c); /* Redis is away: they are counted each time */
    if (kept) {
        *out = kept;
        return ERR_OK;
    }
    fresh = json_obj(c->arena);
    began = clock_monotonic_us();
    TRY(count(c, fresh));
    *out = fresh;
    if (clock_monotonic_us() - began <= FIGURES_QUICK_US)
        return ERR_OK;
    if (figures_store_put(c, name, who, fresh, instant_text(c->now, at)) != ERR_OK)
        ctx_forgive(c);
    return ERR_OK;
}
