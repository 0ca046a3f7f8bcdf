/* Fusion: what each signal says of a candidate becomes one relevance, as a sum of parts; see recall_impl.h and docs/decisions/0027. */
#include <math.h>
#include <string.h>

#include "embed.h"
#include "recall_impl.h"
#include "utf8.h"

#define RRF_K 60.0
#define USUAL_DEVIATIONS 5.0 /* that the cosine of likeness one half lies above that of none */
#define NO_COSINE (-2)
#define ALPHA 0.3           /* weighted: the share of meaning, unless one is given */
#define RECENT_HALF 20.0    /* rank at which being recent counts half */
#define FOREIGN 0.05        /* what is left of the meaning of what the model cannot read */
#define LETTERS_FOREIGN 2.6 /* for each piece of the query: German has 2.1, French and Italian 2.5 … */
#define LETTERS_KNOWN 3.1   /* … and English 3.5 to 4.5, claims full of terms 3.4 */

static bool is_on(const struct recall *r, enum signal s)
{
    if (s == SIG_DENSE)
        return r->dense && r->fused.max[SIG_DENSE] > NO_COSINE;
    return s != SIG_SPARSE || (r->sparse && r->fused.max[SIG_SPARSE] > 0);
}

/* The dense arm's part of both. Where one arm has found nothing, the other is all there is. */
static double alpha_of(const struct recall *r)
{
    if (!is_on(r, SIG_DENSE))
        return 0;
    if (!is_on(r, SIG_SPARSE))
        return 1;
    return r->in->weights && r->in->weights->alpha >= 0 ? r->in->weights->alpha : ALPHA;
}

static double fuse_weight_of(const struct recall *r, enum signal s)
{
    const struct recall_weights *w = r->in->weights;

    switch (s) {
    case SIG_DENSE:
        return w && w->dense >= 0 ? w->dense : 1;
    case SIG_SPARSE:
        return w && w->sparse >= 0 ? w->sparse : 1;
    default:
        return recall_recent_weight(r);
    }
}

double recall_recent_weight(const struct recall *r)
{
    const struct recall_weights *w = r->in->weights;

    return w && w->recent >= 0 ? w->recent : r->understood.recency;
}

/* 0 to 1, and how new it is by its rank: time itself would let one day without a word decide. */
static double recency(const struct candidate *k)
{
    uint32_t rank = k->marks[SIG_RECENT].rank;

    return rank ? RECENT_HALF / (RECENT_HALF + rank - 1) : 0;
}

static double normal(const struct recall *r, const struct candidate *k, enum signal s)
{
    return is_on(r, s) && r->fused.max[s] > 0 ? fmax(k->marks[s].raw, 0) / r->fused.max[s] : 0;
}

static void fuse_weighted(const struct recall *r, struct candidate *k)
{
    double alpha = alpha_of(r), recent = recall_recent_weight(r), all = 1 + recent;

    recall_add_share(k, SIG_DENSE, alpha * normal(r, k, SIG_DENSE) / all);
    recall_add_share(k, SIG_SPARSE, (1 - alpha) * normal(r, k, SIG_SPARSE) / all);
    recall_add_share(k, SIG_RECENT, recent * recency(k) / all);
}

static const enum signal LISTS[] = {SIG_DENSE, SIG_SPARSE, SIG_RECENT};
#define N_LISTS (sizeof LISTS / sizeof *LISTS)

/* Divided by what the first of all lists would get, so that relevance is 0 to 1 here, too. */
static void fuse_rrf(const struct recall *r, struct candidate *k)
{
    double all = 0;

    for (size_t i = 0; i < N_LISTS; i++)
        all += is_on(r, LISTS[i]) ? fuse_weight_of(r, LISTS[i]) : 0;
    for (size_t i = 0; i < N_LISTS && all > 0; i++)
        if (k->marks[LISTS[i]].rank)
            recall_add_share(k, LISTS[i], fuse_weight_of(r, LISTS[i]) * (RRF_K + 1) / (RRF_K + k->marks[LISTS[i]].rank) / all);
}

static void fuse_simple(const struct recall *r, struct candidate *k)
{
    enum signal best = SIG_SPARSE;

    if (k->marks[SIG_DENSE].rank && normal(r, k, SIG_DENSE) > (k->marks[SIG_SPARSE].rank ? normal(r, k, SIG_SPARSE) : 0))
        best = SIG_DENSE;
    if (k->marks[best].rank)
        recall_add_share(k, best, normal(r, k, best));
}

/* ---- surprise: every part in nats */

/* Which part of the letters is Latin: of other scripts the built-in models know little more than that they are there. */
static double latin_share(const char *text)
{
    double latin = 0, other = 0;
    uint32_t c;

    while ((c = utf8_next(&text))) {
        bool is_latin = (c | 0x20) - 'a' < 26 || (c >= 0xc0 && c < 0x250);

        latin += is_latin;
        other += c >= 0x370 && !(c >= 0x2000 && c < 0x2e80) && !(c >= 0x3000 && c < 0x3040) && !(c >= 0xfe00 && c < 0xff66);
    }
    return other > 0 ? latin / (latin + other) : 1;
}

/* Where letters fall into short pieces the model does not know their words. */
static double known(const struct recall *r)
{
    const struct embed_model m = {.provider = EMBED_BUILTIN, .name = r->model.name};
    double letters = 0, pieces;

    if (r->dense && strcmp(r->model.provider, enumx_name(&embed_provider_enumx, (int)EMBED_BUILTIN)) == 0)
        letters = embed_letters(r->c->app->embed, &m, r->text);
    pieces = fmin(fmax((letters - LETTERS_FOREIGN) / (LETTERS_KNOWN - LETTERS_FOREIGN), 0), 1);
    return letters > 0 ? pieces * latin_share(r->text) : 1;
}

/* How far meaning is believed: an account may have had its own measured; beside words, less where the model reads badly. */
static double belief(const struct recall *r)
{
    const struct fitted *f = r->in->fitted ? r->in->fitted : &r->model.fitted;
    double all = fuse_weight_of(r, SIG_DENSE) * (f->given ? f->meaning : 1);

    return is_on(r, SIG_SPARSE) ? all * (FOREIGN + (1 - FOREIGN) * r->fused.known) : all;
}

/* Where both speak, a long text has more of everything by chance, as far as meaning is believed. What is
 * left is never less than half of what spoke for it, so that the worst stay in their order. */
static double length_of(const struct recall *r, const struct candidate *k, double found)
{
    if (!is_on(r, SIG_DENSE) || !is_on(r, SIG_SPARSE))
        return 0;
    return fmax(fmin(belief(r), 1) * surprise_of_length(keyword_length(r->sparse, k->row), r->fused.mean_length), -found / 2);
}

static void fuse_surprise(const struct recall *r, struct candidate *k)
{
    const struct mark *dense = &k->marks[SIG_DENSE];
    double words = is_on(r, SIG_SPARSE) ? fuse_weight_of(r, SIG_SPARSE) * k->marks[SIG_SPARSE].raw : 0, meaning = 0;

    if (is_on(r, SIG_DENSE))
        meaning = belief(r) * (dense->known ? surprise_of_cosine(dense->raw, r->fused.scale) : surprise_unknown());
    recall_add_share(k, SIG_SPARSE, words * r->fused.unit);
    recall_add_share(k, SIG_DENSE, meaning * r->fused.unit);
    recall_add_share(k, SIG_LENGTH, length_of(r, k, words + meaning) * r->fused.unit);
}

static void find_scale(struct recall *r)
{
    const struct surprise_scale usual = {r->model.scale.at_zero, (r->model.scale.at_half - r->model.scale.at_zero) / USUAL_DEVIATIONS};
    struct nearest_spread s;

    r->fused.known = known(r);
    if (r->sparse)
        r->fused.mean_length = keyword_mean_length(r->sparse);
    if (!r->dense)
        return;
    s = nearest_spread(r->c, r->dense, &r->filter);
    r->fused.scale = surprise_scale_of(s.n, s.mean, s.variance, usual);
}

static void fuse_one(const struct recall *r, struct candidate *k)
{
    if (r->fused.fusion == FUSION_SURPRISE)
        fuse_surprise(r, k);
    else if (r->fused.fusion == FUSION_RRF)
        fuse_rrf(r, k);
    else if (r->fused.fusion == FUSION_SIMPLE)
        fuse_simple(r, k);
    else
        fuse_weighted(r, k);
}

/* The arm's scores of those candidates from the i-th on that its own list does not hold. */
static err score_arm(struct recall *r, enum signal s, size_t from)
{
    struct scored *list = ARENA_ARRAY(r->c->arena, struct scored, r->n - from + 1);
    size_t n = 0, next = 0;

    for (size_t i = from; i < r->n; i++)
        if (!r->at[i].marks[s].rank)
            list[n++] = (struct scored){.row = r->at[i].row};
    if (s == SIG_DENSE)
        TRY(nearest_score(r->c, r->dense, list, n, r->in->exact));
    else
        keyword_score(r->sparse, list, n);
    for (size_t i = from; i < r->n; i++) {
        struct mark *m = &r->at[i].marks[s];

        m->raw = m->rank ? m->raw : (double)list[next++].score;
        m->known = s == SIG_SPARSE || nearest_has(r->index, r->at[i].row);
    }
    return ERR_OK;
}

/* Both arms, exactly, for candidates from the i-th on: a list holds only its best. */
static err score_arms(struct recall *r, size_t from)
{
    if (r->dense)
        TRY(score_arm(r, SIG_DENSE, from));
    if (r->sparse)
        TRY(score_arm(r, SIG_SPARSE, from));
    for (size_t i = from; i < r->n; i++)
        if (r->dense && r->at[i].marks[SIG_DENSE].known)
            r->at[i].similarity = model_calibrated(&r->model, r->at[i].marks[SIG_DENSE].raw);
    return ERR_OK;
}

static enum recall_fusion fusion_of(const struct recall_in *in)
{
    if (in->fusion != FUSION_AUTO)
        return in->fusion;
    return in->weights && in->weights->alpha >= 0 ? FUSION_WEIGHTED : FUSION_SURPRISE;
}

err stage_fuse(struct recall *r)
{
    r->fused.fusion = fusion_of(r->in);
    r->fused.unit = 1;
    find_scale(r);
    TRY(score_arms(r, 0));
    r->fused.max[SIG_DENSE] = NO_COSINE; /* those of a good model may all be below 0 */
    for (size_t i = 0; i < r->n; i++)
        for (int s = SIG_DENSE; s <= SIG_SPARSE; s++)
            if (r->at[i].marks[s].known)
                r->fused.max[s] = fmax(r->fused.max[s], r->at[i].marks[s].raw);
    for (size_t i = 0; i < r->n; i++)
        fuse_one(r, &r->at[i]);
    r->is_fused = true;
    return ERR_OK;
}

err recall_admit(struct recall *r, const uint32_t *rows, size_t n)
{
    size_t from = r->n;

    for (size_t i = 0; i < n; i++)
        recall_candidate(r, rows[i]);
    TRY(score_arms(r, from));
    for (size_t i = from; i < r->n; i++)
        fuse_one(r, &r->at[i]);
    return ERR_OK;
}

static double best_of_all(const struct recall *r)
{
    double best = 0;

    for (size_t i = 0; i < r->n; i++)
        best = fmax(best, r->at[i].relevance);
    return best;
}

static const double *nats_of(const struct recall *r, const struct candidate *k)
{
    double *nats = ARENA_ARRAY(r->c->arena, double, SIGNALS);

    for (int s = 0; s < SIGNALS; s++)
        nats[s] = k->marks[s].share;
    return nats;
}

/* The best becomes 1, where the sum has no bound of its own; being new is a share beside all that was found. */
err stage_scale(struct recall *r)
{
    const bool surprise = r->fused.fusion == FUSION_SURPRISE;
    const double best = best_of_all(r), recent = surprise ? recall_recent_weight(r) : 0;

    if (best > 1 || (surprise && best > 0))
        r->fused.unit = 1 / best / (1 + recent);
    for (size_t i = 0; i < r->n; i++) {
        struct candidate *k = &r->at[i];

        if (surprise && r->in->explain)
            k->nats = nats_of(r, k);
        recall_scale(k, r->fused.unit);
        if (recent > 0)
            recall_add_share(k, SIG_RECENT, recent * recency(k) / (1 + recent));
    }
    return ERR_OK;
}
