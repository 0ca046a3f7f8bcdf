/* Judging turns by their neighbours and sessions; see conversation.h. */
#include "conversation.h"

#include <stdlib.h>

struct turn conversation_turn(const struct snapshot *s, uint32_t row)
{
    struct row_at at = snapshot_at(s, row);

    return (struct turn){.row = row, .session = at.in->session[at.r], .sequence = at.in->sequence[at.r],
                         .created = at.in->times[at.r].created, .id = at.in->ids[at.r]};
}

static uint32_t conversation_first_of(const struct segment *g, uint64_t session)
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

void conversation_rows(const struct snapshot *s, const struct filter *f, uint32_t row, uint32_t *rows, size_t max, size_t *n)
{
    struct row_at at = snapshot_at(s, row);
    uint64_t session = at.in->session[at.r];

    for (size_t i = 0; session && i < s->n_segments; i++) {
        const struct segment *g = s->segments[i];

        for (uint32_t k = conversation_first_of(g, session); k < g->n_in_session && g->session[g->by_session[k]] == session; k++)
            if (*n < max && filter_has(f, s->base[i] + g->by_session[k]))
                rows[(*n)++] = s->base[i] + g->by_session[k];
    }
}

static int conversation_by_place(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->created != y->created)
        return x->created < y->created ? -1 : 1;
    return uuid_cmp(x->id, y->id);
}

static double lent(const struct turn *t)
{
    return t->is_quoted ? 0 : t->found;
}

/* Turn i of n of one session with its neighbours. */
static double with_neighbours(const struct turn *t, size_t i, size_t n, const struct conversation_options *o)
{
    return t[i].found + (i > 0 ? o->before * lent(&t[i - 1]) : 0) + (i + 1 < n ? o->after * lent(&t[i + 1]) : 0);
}

static size_t conversation_session_end(const struct turn *t, size_t from, size_t n)
{
    size_t to = from + 1;

    while (to < n && t[to].session == t[from].session)
        to++;
    return to;
}

/* Mean of the best, of which a short session has fewer. */
static double conversation_best_of(const struct turn *t, size_t n, size_t best)
{
    double top[16] = {0}, sum = 0;
    size_t k = best < 16 ? best : 16;

    k = k < n ? k : n;
    for (size_t i = 0; i < n; i++) {
        double v = t[i].is_quoted ? 0 : t[i].score;

        for (size_t j = 0; j < k; j++)
            if (v > top[j]) {
                double swap = top[j];

                top[j] = v;
                v = swap;
            }
    }
    for (size_t j = 0; j < k; j++)
        sum += top[j];
    return k ? sum / (double)k : 0;
}

void conversation_judge(struct turn *t, size_t n, const struct conversation_options *o)
{
    if (n)
        qsort(t, n, sizeof *t, conversation_by_place);
    for (size_t from = 0, to; from < n; from = to) {
        double best;

        to = conversation_session_end(t, from, n);
        for (size_t i = from; i < to; i++)
            t[i].score = with_neighbours(t + from, i - from, to - from, o);
        best = o->session * conversation_best_of(t + from, to - from, o->best);
        for (size_t i = from; i < to; i++)
            t[i].score += t[i].found > 0 ? best : 0;
    }
}
