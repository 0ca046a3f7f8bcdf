/* Smoothing scores along sessions; see conversation.h. */
#include "conversation.h"

#include <stdlib.h>

#include "row_map.h"

struct turn {
    uint32_t row, sequence;
    int64_t created;
    struct uuid id;
    double own, score;
};

struct turns {
    struct arena *arena;
    struct turn *at;
    size_t n, cap;
};

static void put(struct turns *t, struct turn turn)
{
    if (t->n == t->cap) {
        struct turn *old = t->at;

        t->cap = t->cap ? 2 * t->cap : 64;
        t->at = ARENA_ARRAY(t->arena, struct turn, t->cap);
        for (size_t i = 0; i < t->n; i++)
            t->at[i] = old[i];
    }
    t->at[t->n++] = turn;
}

static int by_time(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->created != y->created)
        return x->created < y->created ? -1 : 1;
    return uuid_cmp(x->id, y->id);
}

static uint32_t first_of(const struct segment *g, uint64_t session)
{
    uint32_t low = 0, high = g->n_in_session;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (g->session[g->by_session[mid]] < session)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The turns of a session that may be seen, in their order. */
static void gather(const struct snapshot *s, const struct filter *f, uint64_t session, const struct row_map *scored,
                   const struct scored *in, struct turns *out)
{
    out->n = 0;
    for (size_t i = 0; i < s->n_segments; i++) {
        const struct segment *g = s->segments[i];

        for (uint32_t k = first_of(g, session); k < g->n_in_session && g->session[g->by_session[k]] == session; k++) {
            uint32_t r = g->by_session[k], row = s->base[i] + r, at;

            if (!filter_has(f, row))
                continue;
            at = row_map_get(scored, row);
            put(out, (struct turn){row, g->sequence[r], g->times[r].created, g->ids[r],
                                   at == NO_PLACE ? 0 : (double)in[at].score, 0});
        }
    }
    if (out->n > 1)
        qsort(out->at, out->n, sizeof *out->at, by_time);
}

/* Mean of the best, of which a short session has fewer. */
static double best_of(const struct turns *t, size_t best)
{
    double top[16] = {0}, sum = 0;
    size_t n = best < 16 ? best : 16;

    if (n > t->n)
        n = t->n;
    for (size_t i = 0; i < t->n; i++) {
        double v = t->at[i].score;

        for (size_t k = 0; k < n; k++)
            if (v > top[k]) {
                double swap = top[k];

                top[k] = v;
                v = swap;
            }
    }
    for (size_t k = 0; k < n; k++)
        sum += top[k];
    return n ? sum / (double)n : 0;
}

static void smooth(struct turns *t, const struct conversation_options *o)
{
    double best;

    for (size_t i = 0; i < t->n; i++) {
        t->at[i].score = t->at[i].own;
        if (i > 0)
            t->at[i].score += o->before * t->at[i - 1].own;
        if (i + 1 < t->n)
            t->at[i].score += o->after * t->at[i + 1].own;
    }
    best = o->session * best_of(t, o->best);
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].own > 0)
            t->at[i].score += best;
}

struct scored_list {
    struct arena *arena;
    struct scored *at;
    size_t n, cap;
};

static void add(struct scored_list *l, uint32_t row, double score)
{
    if (l->n == l->cap) {
        struct scored *old = l->at;

        l->cap = l->cap ? 2 * l->cap : 256;
        l->at = ARENA_ARRAY(l->arena, struct scored, l->cap);
        for (size_t i = 0; i < l->n; i++)
            l->at[i] = old[i];
    }
    l->at[l->n++] = (struct scored){row, (float)score};
}

size_t conversation_smooth(struct arena *a, const struct snapshot *s, const struct filter *f, const struct scored *in, size_t n,
                           const struct conversation_options *o, struct scored **out)
{
    struct row_map scored = {.arena = a}, seen = {.arena = a};
    struct scored_list list = {.arena = a};
    struct turns turns = {.arena = a};

    for (size_t i = 0; i < n; i++)
        *row_map_at(&scored, in[i].row) = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        struct row_at at = snapshot_at(s, in[i].row);
        uint64_t session = at.in->session[at.r];
        uint32_t *place;

        if (!session) {
            add(&list, in[i].row, (double)in[i].score);
            continue;
        }
        place = row_map_at(&seen, session);
        if (*place != NO_PLACE)
            continue;
        *place = 0;
        gather(s, f, session, &scored, in, &turns);
        smooth(&turns, o);
        for (size_t k = 0; k < turns.n; k++)
            if (turns.at[k].score > 0)
                add(&list, turns.at[k].row, turns.at[k].score);
    }
    snapshot_sort(s, list.at, list.n);
    *out = list.at;
    return list.n;
}

void conversation_rows(struct arena *a, const struct snapshot *s, const struct filter *f, uint32_t row, uint32_t *rows, size_t max,
                       size_t *n)
{
    struct row_at at = snapshot_at(s, row);
    struct row_map none = {.arena = a};
    struct turns turns = {.arena = a};

    if (!at.in->session[at.r])
        return;
    gather(s, f, at.in->session[at.r], &none, NULL, &turns);
    for (size_t i = 0; i < turns.n && *n < max; i++)
        rows[(*n)++] = turns.at[i].row;
}
