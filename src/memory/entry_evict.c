/* Making room in a context: what goes when a maximum is passed; see entry_impl.h. */
#include "context_store.h"
#include "entry_impl.h"

#define EVICT_MAX 100 /* by one write */

static err entry_evict_over(struct ctx *c, const struct retention *r)
{
    return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "context limit exceeded (limits: %lld entries, %lld bytes)",
                       (long long)r->max_entries, (long long)r->max_size_bytes);
}

/* What was read a moment ago is not the least recently used, although nobody has written so yet. */
static err entry_evict_least(struct ctx *c, const struct context *x, struct uuid written, enum eviction by, struct entry_row **rows,
                             size_t *n)
{
    struct uuid ids[EVICT_MAX];
    int64_t uses[EVICT_MAX];
    struct entry_row *sorted;
    int64_t flushes;
    size_t k = 0;
    bool any;

    do {
        flushes = node_flushes(c);
        TRY(entry_store_least(c, x->id, written, by, EVICT_MAX, rows, n));
        for (size_t i = 0; i < *n; i++)
            ids[i] = (*rows)[i].entry.id;
        any = by == EVICT_LRU && node_waiting_uses(c, ids, *n, uses);
    } while (by == EVICT_LRU && flushes != node_flushes(c));
    if (!any)
        return ERR_OK;
    sorted = ARENA_ARRAY(c->arena, struct entry_row, *n);
    for (int used = 0; used <= 1; used++)
        for (size_t i = 0; i < *n; i++)
            if ((uses[i] > 0) == used)
                sorted[k++] = (*rows)[i];
    *rows = sorted;
    return ERR_OK;
}

static void note_gone(const struct entry_row *e, int64_t *entries, int64_t *bytes, struct strs *evicted)
{
    evicted->v[evicted->n++] = e->entry.entry_key;
    --*entries;
    *bytes -= e->size_bytes;
}

/* What says the same for longer than the policy allows. */
static err send_aged_away(struct ctx *c, const struct context *x, struct uuid written, const struct retention *r, int64_t *entries, int64_t *bytes,
                          struct strs *evicted)
{
    struct instant before = {c->now.us - r->max_age_days * DAY_US};
    struct entry_row *rows;
    size_t n;

    TRY(entry_store_aged(c, x->id, written, before, EVICT_MAX, &rows, &n));
    for (size_t i = 0; i < n; i++)
        note_gone(&rows[i], entries, bytes, evicted);
    return entry_leave_many(c, x, rows, n, r->archive_before_delete);
}

err entry_make_room(struct ctx *c, const struct context *x, struct uuid written, int64_t entries, int64_t bytes, struct strs *evicted)
{
    struct retention r;
    struct entry_row *rows;
    size_t n, k;

    retention_read(json_opened(c->arena, x->retention_policy), &r);
    *evicted = (struct strs){.v = ARENA_ARRAY(c->arena, const char *, 2 * EVICT_MAX)};
    if (r.max_age_days)
        TRY(send_aged_away(c, x, written, &r, &entries, &bytes, evicted));
    if (entries <= r.max_entries && bytes <= r.max_size_bytes)
        return ERR_OK;
    if (r.eviction == EVICT_REJECT)
        return entry_evict_over(c, &r);
    TRY(entry_evict_least(c, x, written, r.eviction, &rows, &n));
    for (k = 0; k < n && (entries > r.max_entries || bytes > r.max_size_bytes); k++)
        note_gone(&rows[k], &entries, &bytes, evicted);
    if (n < EVICT_MAX && (entries > r.max_entries || bytes > r.max_size_bytes))
        return entry_evict_over(c, &r); /* the rest is pinned, or the entry alone is too large */
    return entry_leave_many(c, x, rows, k, r.archive_before_delete);
}
