/* Folding the claims of a slot; see fact_fold.h. */
#include "fact_fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct folding {
    struct arena *arena;
    struct fold_claim **claims; /* in order of time */
    size_t n;
    struct fold_run *runs;
    size_t n_runs;
    size_t open; /* the run that holds now; FOLD_NONE */
    bool single;
};

static int double_order(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* By time, trust, author and value, then by all else that tells two claims apart: never by arrival. */
static int claim_order(const void *a, const void *b)
{
    const struct fold_claim *x = *(struct fold_claim *const *)a, *y = *(struct fold_claim *const *)b;
    int k;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if ((k = double_order(x->trust, y->trust)) || (k = memcmp(x->author, y->author, sizeof x->author)) ||
        (k = memcmp(x->object, y->object, sizeof x->object)))
        return k;
    if (x->negative != y->negative)
        return x->negative - y->negative;
    if (x->modality != y->modality)
        return x->modality < y->modality ? -1 : 1;
    if (x->voice != y->voice)
        return x->voice - y->voice;
    if (x->accepted != y->accepted)
        return x->accepted - y->accepted;
    return x->until < y->until ? -1 : x->until > y->until;
}

static bool is_value(const struct fold_run *r, const struct fold_claim *c)
{
    return r->negative == c->negative && memcmp(r->object, c->object, FOLD_KEY) == 0;
}

/* ---- trust */

/* 1 − Π over distinct authors (1 − the best claim of each); more: one that is not in the run yet. */
static double fold_pool(const struct folding *f, size_t run, const struct fold_claim *more, size_t *authors)
{
    double rest = 1;
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++) {
        const struct fold_claim *c = f->claims[i];
        double best = c->trust;
        bool first = true;

        if (c->run != run && c != more)
            continue;
        for (size_t k = 0; k < f->n; k++) {
            const struct fold_claim *d = f->claims[k];

            if ((d->run != run && d != more) || memcmp(d->author, c->author, sizeof d->author) != 0)
                continue;
            first &= k >= i;
            best = d->trust > best ? d->trust : best;
        }
        if (!first)
            continue;
        rest *= 1 - best;
        n++;
    }
    if (authors)
        *authors = n;
    return fmin(1 - rest, FOLD_TRUST_MAX);
}

struct fold_best {
    double trust;
    int voice;
    bool same_voice, accepted;
};

/* The best of a run's claims, and whether this claim's voice is among them. */
static struct fold_best fold_best_of(const struct folding *f, size_t run, const struct fold_claim *claim)
{
    struct fold_best b = {.voice = -1};

    for (size_t i = 0; i < f->n; i++) {
        const struct fold_claim *c = f->claims[i];

        if (c->run != run)
            continue;
        b.trust = c->trust > b.trust ? c->trust : b.trust;
        b.voice = c->voice > b.voice ? c->voice : b.voice;
        b.accepted |= c->accepted;
        b.same_voice |= c->voice == claim->voice && memcmp(c->author, claim->author, sizeof c->author) == 0;
    }
    return b;
}

/* ---- runs */

static size_t fold_begin(struct folding *f, struct fold_claim *c, enum fold_state state)
{
    struct fold_run *r = &f->runs[f->n_runs];

    *r = (struct fold_run){.negative = c->negative, .modality = c->modality, .from = c->at, .to = c->until, .state = state,
        .successor = FOLD_NONE};
    memcpy(r->object, c->object, FOLD_KEY);
    c->run = f->n_runs;
    return f->n_runs++;
}

/* Where claims of this value wait that were not believed. */
static size_t fold_held(const struct folding *f, const struct fold_claim *c)
{
    for (size_t i = 0; i < f->n_runs; i++)
        if (f->runs[i].state == FOLD_HELD && is_value(&f->runs[i], c))
            return i;
    return FOLD_NONE;
}

/* Others that stand beside the incumbent, contested, end with it: at that time, or wrong from the beginning. */
static void fold_close_contested(struct folding *f, size_t run, int64_t at, enum fold_state state)
{
    for (size_t i = 0; i < f->n_runs; i++) {
        struct fold_run *r = &f->runs[i];

        if (i == run || !r->contested || r->state != FOLD_ACTIVE || (r->to && r->to <= at))
            continue;
        r->state = state;
        r->successor = run;
        r->to = state == FOLD_SUPERSEDED ? at : r->to;
    }
}

/* The value takes over at that time: a run that was held becomes the one that holds. */
static void fold_take_over(struct folding *f, struct fold_claim *c)
{
    struct fold_run *old = &f->runs[f->open];
    size_t run = fold_held(f, c);

    if (run != FOLD_NONE) {
        c->run = run;
        f->runs[run].state = FOLD_ACTIVE;
        f->runs[run].from = c->at;
        f->runs[run].to = c->until;
        f->runs[run].successor = FOLD_NONE;
    } else
        run = fold_begin(f, c, FOLD_ACTIVE);
    fold_close_contested(f, run, c->at, FOLD_SUPERSEDED);
    old->to = c->at;
    old->state = FOLD_SUPERSEDED;
    old->successor = run;
    f->open = run;
}

/* Two values at one instant: the weaker is wrong, or both stand and are contested. */
static void fold_rival(struct folding *f, struct fold_claim *c)
{
    size_t rival = f->open;
    double theirs = fold_pool(f, rival, NULL, NULL), ours = fold_pool(f, FOLD_NONE - 1, c, NULL);
    struct fold_best best = fold_best_of(f, rival, c);
    bool decided = best.accepted != c->accepted || best.voice != c->voice || fabs(theirs - ours) >= FOLD_DECIDED;
    bool wins = best.accepted != c->accepted ? c->accepted : best.voice != c->voice ? c->voice > best.voice : ours > theirs;
    size_t run = fold_begin(f, c, decided && !wins ? FOLD_CONTRADICTED : FOLD_ACTIVE);

    if (decided) {
        f->runs[wins ? rival : run].successor = wins ? run : rival;
        if (!wins)
            return;
        f->runs[rival].state = FOLD_CONTRADICTED;
        fold_close_contested(f, run, c->at, FOLD_CONTRADICTED);
    } else {
        f->runs[run].contested = f->runs[rival].contested = true;
        f->runs[run].successor = rival;
    }
    f->open = run; /* of two that stand the later in order is the incumbent */
}

static bool fold_may_take_over(const struct folding *f, const struct fold_claim *c)
{
    struct fold_best b = fold_best_of(f, f->open, c);
    size_t held = fold_held(f, c);
    double ours = fold_pool(f, held == FOLD_NONE ? FOLD_NONE - 1 : held, c, NULL);
    int voice = c->voice;

    if (c->accepted || b.same_voice)
        return true;
    if (held != FOLD_NONE) {
        int before = fold_best_of(f, held, c).voice;

        voice = before > voice ? before : voice;
    }
    return ours >= b.trust - (voice < b.voice ? 0 : FOLD_MARGIN);
}

static void fold_hold(struct folding *f, struct fold_claim *c)
{
    size_t held = fold_held(f, c);

    if (held == FOLD_NONE)
        held = fold_begin(f, c, FOLD_HELD);
    c->run = held;
    f->runs[held].successor = f->open;
}

/* What belongs to another time, or says of another value that it is not so: a fact of its own that closes nothing. */
static bool fold_stands_apart(const struct folding *f, const struct fold_claim *c)
{
    if (c->modality != FOLD_ASSERTED || (c->until && c->until <= c->at))
        return true;
    return c->negative && f->open != FOLD_NONE && memcmp(f->runs[f->open].object, c->object, FOLD_KEY) != 0;
}

static void fold_apart(struct folding *f, struct fold_claim *c)
{
    for (size_t i = 0; i < f->n_runs; i++) {
        struct fold_run *r = &f->runs[i];

        if (r->modality == c->modality && is_value(r, c) && r->from == c->at && r->to == c->until && i != f->open &&
            r->state == FOLD_ACTIVE) {
            c->run = i;
            return;
        }
    }
    (void)fold_begin(f, c, FOLD_ACTIVE);
}

static void fold_one(struct folding *f, struct fold_claim *c)
{
    if (f->open != FOLD_NONE && f->runs[f->open].to && f->runs[f->open].to <= c->at)
        f->open = FOLD_NONE;
    if (fold_stands_apart(f, c)) {
        fold_apart(f, c);
        return;
    }
    if (f->open == FOLD_NONE) {
        f->open = fold_begin(f, c, FOLD_ACTIVE);
        fold_close_contested(f, f->open, c->at, FOLD_SUPERSEDED);
        return;
    }
    if (is_value(&f->runs[f->open], c)) {
        c->run = f->open;
        if (c->until && (!f->runs[f->open].to || c->until < f->runs[f->open].to))
            f->runs[f->open].to = c->until;
    } else if (f->runs[f->open].from == c->at && f->single && !c->negative && !f->runs[f->open].negative)
        fold_rival(f, c);
    else if (fold_may_take_over(f, c))
        fold_take_over(f, c);
    else
        fold_hold(f, c);
}

struct fold fact_fold(struct arena *a, struct fold_claim *claims, size_t n, bool single)
{
    struct folding f = {.arena = a, .open = FOLD_NONE, .single = single, .runs = ARENA_ARRAY(a, struct fold_run, n + 1),
                        .claims = ARENA_ARRAY(a, struct fold_claim *, n + 1)};

    for (size_t i = 0; i < n; i++) {
        claims[i].run = FOLD_NONE;
        if (!claims[i].withdrawn)
            f.claims[f.n++] = &claims[i];
    }
    qsort(f.claims, f.n, sizeof *f.claims, claim_order);
    for (size_t i = 0; i < f.n; i++)
        fold_one(&f, f.claims[i]);
    for (size_t i = 0; i < f.n_runs; i++)
        f.runs[i].trust = fold_pool(&f, i, NULL, &f.runs[i].authors);
    for (size_t i = 0; i < f.n; i++)
        f.runs[f.claims[i]->run].claims++;
    return (struct fold){f.runs, f.n_runs};
}
