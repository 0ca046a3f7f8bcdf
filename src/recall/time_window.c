/* See time_window.h; and the stage that prefers what is in the span. */
#include "time_window.h"

#include "recall_impl.h"

#define PREFER 0.15 /* share of its relevance that a node in the span gains */

bool window_has(const struct time_span *span, struct row_at at)
{
    const struct row_times *t = &at.in->times[at.r];
    int64_t when = t->valid_from ? t->valid_from : t->created;

    return when >= span->from && (!span->to || when < span->to);
}

void window_filter(struct arena *a, const struct snapshot *s, const struct time_span *span, struct filter *f)
{
    uint64_t *bits = ARENA_ARRAY(a, uint64_t, f->n_words + 1);
    size_t count = 0;

    for (size_t i = 0; i < s->n_segments; i++)
        for (uint32_t r = 0; r < s->segments[i]->n; r++) {
            uint32_t row = s->base[i] + r;

            if (!filter_has(f, row) || !window_has(span, (struct row_at){s->segments[i], r}))
                continue;
            bits[row >> 6] |= 1ull << (row & 63);
            count++;
        }
    *f = (struct filter){bits, f->n_words, count};
}

bool wants_window(const struct recall *r)
{
    return r->understood.has_window && r->in->temporal == TEMPORAL_BOOST;
}

err stage_window(struct recall *r)
{
    struct time_span span = {r->understood.window_from, r->understood.window_to};
    double most = 0, now = 0;

    for (size_t i = 0; i < r->n; i++) {
        struct candidate *k = &r->at[i];

        most = k->relevance > most ? k->relevance : most;
        if (window_has(&span, snapshot_at(r->index, k->row))) {
            k->marks[SIG_WINDOW].known = true;
            k->marks[SIG_WINDOW].raw = 1;
            recall_add_share(k, SIG_WINDOW, PREFER * k->relevance);
        }
        now = k->relevance > now ? k->relevance : now;
    }
    for (size_t i = 0; i < r->n && now > most; i++)
        recall_scale(&r->at[i], most / now);
    return ERR_OK;
}
