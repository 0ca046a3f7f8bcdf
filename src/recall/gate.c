/* Eviction under a budget; see gate.h. */
#include "gate.h"

#include <math.h>
#include <string.h>

#include "content.h"
#include "inert.h"
#include "utf8.h"

ENUMX_DEFINE(evict_reason, EVICT_REASON);

struct gate {
    struct arena *arena;
    struct gate_item *at;
    size_t n;
    const struct gate_likeness *likeness;
    int64_t budget, used;
};

/* ---- near-duplicates */

static const char *next_number(const char *p, size_t *n)
{
    p += strcspn(p, "0123456789");
    *n = strspn(p, "0123456789");
    return p;
}

/* Whether both texts hold the same numbers in the same order: "due on 3 May" repeats no "due on 4 May". */
static bool equal_numbers(const char *a, const char *b)
{
    size_t n, m;

    for (;;) {
        a = next_number(a, &n);
        b = next_number(b, &m);
        if (n != m || memcmp(a, b, n) != 0)
            return false;
        if (n == 0)
            return true;
        a += n;
        b += m;
    }
}

static bool are_near(const struct gate *g, size_t i, size_t j)
{
    const struct gate_item *a = &g->at[i], *b = &g->at[j];
    bool near = a->simhash && b->simhash && __builtin_popcountll(a->simhash ^ b->simhash) <= GATE_SIMHASH;

    near = near || (g->likeness && g->likeness->of(g->likeness->arg, i, j) >= GATE_COSINE);
    return near && equal_numbers(a->text, b->text);
}

static void find_near(struct gate *g)
{
    for (size_t i = 0; i < g->n; i++) {
        g->at[i].near_of = i;
        for (size_t j = 0; j < i && !g->at[i].is_evicted && g->at[i].near_of == i; j++)
            if (!g->at[j].is_evicted && g->at[j].near_of == j && are_near(g, i, j))
                g->at[i].near_of = j;
    }
}

/* ---- eviction */

static double gate_value_of(const struct gate_item *it)
{
    return it->relevance * (0.5 + 0.5 * it->entropy.score);
}

static double best_relevance(const struct gate *g)
{
    double best = 0;

    for (size_t i = 0; i < g->n; i++)
        if (!g->at[i].is_evicted && g->at[i].relevance > best)
            best = g->at[i].relevance;
    return best;
}

/* The item that goes next; n: all that is left is relevant and alone. */
static size_t next_to_go(const struct gate *g)
{
    double bar = GATE_RELEVANT * best_relevance(g);
    size_t relevant = 0, worst = g->n;

    for (size_t i = 0; i < g->n; i++)
        relevant += !g->at[i].is_evicted && g->at[i].relevance >= bar;
    for (size_t i = 0; i < g->n; i++) {
        const struct gate_item *it = &g->at[i], *w = worst < g->n ? &g->at[worst] : NULL;
        bool near = it->near_of != i;

        if (it->is_evicted || (relevant == 1 && it->relevance >= bar))
            continue;
        if (!w || near > (w->near_of != worst) ||
            (near == (w->near_of != worst) && gate_value_of(it) <= gate_value_of(w)))
            worst = i;
    }
    return worst;
}

static void evict(struct gate *g, size_t i, enum evict_reason reason)
{
    struct gate_item *it = &g->at[i];

    it->is_evicted = true;
    it->reason = reason;
    g->used -= content_tokens(it->text) + it->extra_tokens;
}

static enum evict_reason why(const struct gate_item *it, size_t i)
{
    return it->near_of != i                  ? EVICT_NEAR_DUPLICATE
           : it->entropy.band == BAND_LOW ? EVICT_LOW_ENTROPY
                                             : EVICT_OVER_BUDGET;
}

/* Cuts the text so that the item is worth at most that many tokens; false when nothing of it would be left. */
static bool cut(struct gate *g, struct gate_item *it, const char *whole, int64_t tokens)
{
    const char *text = inert_cut_tokens(g->arena, whole, tokens - it->extra_tokens);

    if (!*text && *whole)
        return false;
    if (tokens < it->extra_tokens)
        return false;
    g->used += content_tokens(text) - content_tokens(it->text);
    it->is_cut = text != whole;
    it->text = text;
    return true;
}

/* An item that fills the budget alone would drive out all others whatever they are worth: it takes half of it at first. */
static const char **cut_giants(struct gate *g)
{
    const char **whole = ARENA_ARRAY(g->arena, const char *, g->n + 1);

    for (size_t i = 0; i < g->n; i++) {
        struct gate_item *it = &g->at[i];

        whole[i] = it->text;
        if (!it->is_evicted && it->tokens > g->budget && !cut(g, it, whole[i], g->budget / 2) &&
            !cut(g, it, whole[i], g->budget))
            evict(g, i, EVICT_OVER_BUDGET);
    }
    return whole;
}

static void fit(struct gate *g)
{
    const char **whole = cut_giants(g);

    while (g->used > g->budget) {
        size_t i = next_to_go(g);

        if (i == g->n)
            break;
        evict(g, i, why(&g->at[i], i));
    }
    /* what was cut to half grows into the room that is left, the better first */
    for (size_t i = 0; i < g->n; i++) {
        struct gate_item *it = &g->at[i];

        if (!it->is_evicted && it->is_cut)
            (void)cut(g, it, whole[i], g->budget - g->used + content_tokens(it->text) + it->extra_tokens);
    }
}

struct gate_result gate_run(struct arena *a, struct gate_item *items, size_t n, int64_t budget,
                            const struct gate_likeness *likeness)
{
    struct gate g = {.arena = a, .at = items, .n = n, .likeness = likeness, .budget = budget};
    struct gate_result r = {0};

    for (size_t i = 0; i < n; i++) {
        items[i].entropy = entropy_of(a, items[i].text);
        items[i].tokens = content_tokens(items[i].text) + items[i].extra_tokens;
        items[i].is_evicted = items[i].is_cut = false;
        g.used += items[i].tokens;
    }
    for (size_t i = 0; i < n; i++)
        if (items[i].below_min)
            evict(&g, i, EVICT_BELOW_MIN);
    find_near(&g);
    if (budget > 0)
        fit(&g);
    r.used_tokens = g.used;
    for (size_t i = 0; i < n; i++)
        r.n_kept += !items[i].is_evicted;
    return r;
}
