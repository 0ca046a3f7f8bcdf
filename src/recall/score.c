/* The score: relevance × lifecycle, where the kind of a node has one; see recall_impl.h. */
#include <math.h>

#include "lifecycle.h"
#include "node_kind.h"
#include "recall_impl.h"

/* A forgotten-looking memory stays findable, and one that nobody vouches for keeps half. */
#define DECAY_LEAST 0.02
#define CONFIDENCE_LEAST 0.8
#define TRUST_LEAST 0.5

static double between(double least, double value)
{
    return least + (1 - least) * fmin(fmax(value, 0), 1);
}

static bool bears_memory(uint8_t kind)
{
    const struct node_kind *k = kind < KIND_UNKNOWN ? node_kind_at(kind) : NULL;

    return k && (k->flags & KIND_MEMORY);
}

/* Rounded, so that two recalls of one second agree to the last digit. */
static void set_factors(const struct recall *r, struct candidate *k)
{
    struct row_at at = snapshot_at(r->index, k->row);
    const struct row_scores *scores = &at.in->scores[at.r];

    if (r->in->lifecycle == SWITCH_OFF || !bears_memory(recall_kind(r, k)))
        return;
    k->factors[FACTOR_DECAY] = between(DECAY_LEAST, lifecycle_round(row_importance(at, r->c->now.us)));
    k->factors[FACTOR_CONFIDENCE] = between(CONFIDENCE_LEAST, (double)scores->confidence);
    k->factors[FACTOR_TRUST] = between(TRUST_LEAST, (double)scores->trust);
}

/* Half as good as the best by words, or better. */
static bool is_strong_by_words(const struct recall *r, const struct candidate *k)
{
    const struct mark *m = &k->marks[SIG_SPARSE];

    return m->rank && m->raw >= 0.5 * r->fused.max[SIG_SPARSE];
}

/* What has no vector is judged by its relevance. */
static bool is_too_low(const struct recall *r, const struct candidate *k)
{
    if (r->in->keeps_words && is_strong_by_words(r, k))
        return false;
    return (k->similarity >= 0 ? k->similarity : k->relevance) < r->in->min_score;
}

err stage_score(struct recall *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct candidate *k = &r->at[i];

        set_factors(r, k);
        k->score = k->relevance;
        for (int f = 0; f < FACTORS; f++)
            k->score *= k->factors[f];
        if (k->relevance <= 0)
            recall_cut(k, "no_signal");
        else if (is_too_low(r, k))
            recall_cut(k, "below_min_score");
    }
    r->is_scored = true;
    return ERR_OK;
}
