/* Fusion: the lists of the signals become one relevance for each candidate, as a sum of shares; see recall_impl.h. */
#include <math.h>
#include <string.h>

#include "recall_impl.h"

#define RRF_K 60.0
#define RECENT_HALF 20.0 /* rank at which being recent counts half */
#define SHORT_TOKENS 32.0
#define LONG_TOKENS 128.0

static bool is_on(const struct recall *r, enum signal s)
{
    if (s == SIG_DENSE)
        return r->dense && r->fused.max[SIG_DENSE] > 0;
    return s != SIG_SPARSE || (r->sparse && r->fused.max[SIG_SPARSE] > 0);
}

static bool is_skill(const struct recall *r, const struct candidate *k)
{
    return strcmp(segment_kind_name(recall_kind(r, k)), "skill") == 0;
}

/* A sentence has a clear meaning; the longer a text, the less its one vector says of it. */
static double alpha_by_length(const struct recall *r, const struct candidate *k)
{
    struct row_at at = snapshot_at(r->index, k->row);
    double longer = ((double)at.in->tokens[at.r] - SHORT_TOKENS) / (LONG_TOKENS - SHORT_TOKENS);
    const struct fitted *f = &r->fused.balance.use;

    return f->alpha_short + (f->alpha - f->alpha_short) * fmin(fmax(longer, 0), 1);
}

/* The dense arm's part of both. Where one arm has found nothing, the other is all there is. */
static double alpha_of(const struct recall *r, const struct candidate *k)
{
    if (!is_on(r, SIG_DENSE))
        return 0;
    if (!is_on(r, SIG_SPARSE))
        return 1;
    if (r->in->weights && r->in->weights->alpha >= 0)
        return r->in->weights->alpha;
    return is_skill(r, k) ? r->fused.balance.use.alpha_skill : alpha_by_length(r, k);
}

static double weight_of(const struct recall *r, enum signal s)
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
    return is_on(r, s) ? fmax(k->marks[s].raw, 0) / r->fused.max[s] : 0;
}

static void fuse_weighted(const struct recall *r, struct candidate *k)
{
    double alpha = alpha_of(r, k), recent = recall_recent_weight(r), all = 1 + recent;

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
        all += is_on(r, LISTS[i]) ? weight_of(r, LISTS[i]) : 0;
    for (size_t i = 0; i < N_LISTS && all > 0; i++)
        if (k->marks[LISTS[i]].rank)
            recall_add_share(k, LISTS[i], weight_of(r, LISTS[i]) * (RRF_K + 1) / (RRF_K + k->marks[LISTS[i]].rank) / all);
}

static void fuse_simple(const struct recall *r, struct candidate *k)
{
    enum signal best = SIG_SPARSE;

    if (k->marks[SIG_DENSE].rank && normal(r, k, SIG_DENSE) > (k->marks[SIG_SPARSE].rank ? normal(r, k, SIG_SPARSE) : 0))
        best = SIG_DENSE;
    if (k->marks[best].rank)
        recall_add_share(k, best, normal(r, k, best));
}

static void fuse_one(const struct recall *r, struct candidate *k)
{
    if (r->fused.fusion == FUSION_RRF)
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
            r->at[i].similarity = model_calibrated(&r->profile.model, r->at[i].marks[SIG_DENSE].raw);
    return ERR_OK;
}

err stage_fuse(struct recall *r)
{
    enum recall_fusion asked = r->in->fusion;

    r->fused.fusion = asked == FUSION_AUTO ? r->profile.use.fusion : asked;
    recall_balance(r, &r->fused.balance);
    TRY(score_arms(r, 0));
    for (size_t i = 0; i < r->n; i++)
        for (int s = SIG_DENSE; s <= SIG_SPARSE; s++)
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
