/* Maximal marginal relevance, with caps; see diversify.h. */
#include "diversify.h"

#include <stdbool.h>

struct choosing {
    const struct diverse_in *in;
    double *nearest; /* of each item, to those taken */
    bool *is_out;    /* taken, or over a cap */
    double low, span;
};

static size_t count_taken(const struct choosing *c, const size_t *taken, size_t n, size_t of, bool by_document)
{
    uint64_t mine = by_document ? c->in->items[of].document : c->in->items[of].session;
    size_t same = 0;

    for (size_t i = 0; mine && i < n; i++)
        same += mine == (by_document ? c->in->items[taken[i]].document : c->in->items[taken[i]].session);
    return same;
}

static bool is_over(const struct choosing *c, const size_t *taken, size_t n, size_t i)
{
    const struct diverse_in *in = c->in;

    return (in->per_session > 0 && count_taken(c, taken, n, i, false) >= (size_t)in->per_session) ||
           (in->per_document > 0 && count_taken(c, taken, n, i, true) >= (size_t)in->per_document);
}

/* in->n: there is none. */
static size_t diversify_best_of(const struct choosing *c, bool is_first)
{
    size_t best = c->in->n;
    double best_value = 0;

    for (size_t i = 0; i < c->in->n; i++) {
        double score = c->span > 0 ? (c->in->items[i].score - c->low) / c->span : 1;
        double value = c->in->lambda * score - (is_first ? 0 : (1 - c->in->lambda) * c->nearest[i]);

        if (!c->is_out[i] && (best == c->in->n || value > best_value)) {
            best = i;
            best_value = value;
        }
    }
    return best;
}

static void diversify_take(struct choosing *c, size_t taken)
{
    c->is_out[taken] = true;
    for (size_t i = 0; c->in->lambda < 1 && i < c->in->n; i++) {
        double like = c->is_out[i] ? 0 : c->in->likeness(c->in->arg, i, taken);

        c->nearest[i] = like > c->nearest[i] ? like : c->nearest[i];
    }
}

size_t diversify(struct arena *a, const struct diverse_in *in, size_t *out)
{
    struct choosing c = {.in = in, .nearest = ARENA_ARRAY(a, double, in->n + 1), .is_out = ARENA_ARRAY(a, bool, in->n + 1)};
    size_t n = 0;

    if (in->n > 0) {
        c.low = in->items[in->n - 1].score;
        c.span = in->items[0].score - c.low;
    }
    while (n < in->want) {
        size_t i = diversify_best_of(&c, n == 0);

        if (i == in->n)
            break;
        if (is_over(&c, out, n, i)) {
            c.is_out[i] = true;
            continue;
        }
        diversify_take(&c, i);
        out[n++] = i;
    }
    return n;
}
