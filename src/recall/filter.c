/* Making filters: once per group of rows, then row by row only where that is asked for; see filter.h. */
#include "filter.h"

#include <stdlib.h>

#include "lifecycle.h"
#include "node_kind.h"

double row_importance(struct row_at at, int64_t now)
{
    const struct row_scores *scores = &at.in->scores[at.r];
    const struct row_group *g = &at.in->groups[at.in->group[at.r]];
    struct lifecycle life = {.score = (double)scores->importance, .decay_rate = (double)scores->decay_rate,
                             .floor = node_kind_floor(segment_kind_name(g->kind)),
                             .decayed_at = {at.in->times[at.r].decayed}, .is_pinned = g->flags & ROW_PINNED};

    return lifecycle_now(&life, (struct instant){now});
}

/* ---- groups --------------------------------------------------------------------------------------------- */

static int filter_by_id(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

static bool has_space(const struct filter_in *in, struct uuid id)
{
    if (!in->n_readable || !bsearch(&id, in->readable, in->n_readable, sizeof id, filter_by_id))
        return false;
    for (size_t i = 0; i < in->n_spaces; i++)
        if (uuid_eq(in->spaces[i], id))
            return true;
    return in->n_spaces == 0;
}

static bool has_kind(const struct filter_in *in, uint8_t kind)
{
    const struct node_kind *k;

    if (in->kinds)
        return in->kinds >> kind & 1;
    k = kind < KIND_UNKNOWN ? node_kind_at(kind) : NULL;
    return k && !(k->flags & KIND_SCAFFOLD);
}

/* What is superseded or an old version today may have been the truth then: its intervals decide. */
static bool has_flags(const struct filter_in *in, unsigned flags)
{
    unsigned hidden = ROW_HIDDEN & ~in->include;

    if (in->as_known_at)
        hidden &= ~(unsigned)(ROW_VERSION | ROW_SUPERSEDED);
    if (in->as_of)
        hidden &= ~(unsigned)ROW_SUPERSEDED;
    return !(flags & hidden);
}

/* What a row of the group must still show. */
struct group_test {
    bool pass, each;
    uint64_t session;
};

static bool asks_rows(const struct filter_in *in)
{
    return in->as_of || in->as_known_at || in->created_from || in->created_to || in->min_importance > 0 ||
           in->min_confidence > 0 || !uuid_is_nil(in->author) || in->session || in->n_facets || in->n_groups;
}

static struct group_test test_group(const struct filter_in *in, const struct row_group *g)
{
    struct group_test t = {.pass = has_flags(in, g->flags) && has_kind(in, g->kind) && has_space(in, g->space_id)};

    t.each = t.pass && (asks_rows(in) || (g->flags & ROW_EXPIRES));
    if (t.each && in->session)
        t.session = row_session(g->space_id, in->session);
    return t;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static bool in_interval(int64_t t, int64_t from, int64_t to)
{
    return (!from || from <= t) && (!to || t < to);
}

static bool has_facet(const struct segment *s, uint32_t r, uint32_t key)
{
    uint32_t at = s->facet_at[r];

    while (at < s->facet_at[r + 1] && s->facets[at] != key)
        at++;
    return at < s->facet_at[r + 1];
}

static bool has_one_of(const struct segment *s, uint32_t r, const struct facet_group *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (has_facet(s, r, g->keys[i]))
            return true;
    return false;
}

static bool has_facets(const struct filter_in *in, const struct segment *s, uint32_t r)
{
    for (size_t i = 0; i < in->n_facets; i++)
        if (!has_facet(s, r, in->facets[i]))
            return false;
    for (size_t i = 0; i < in->n_groups; i++)
        if (!has_one_of(s, r, &in->groups[i]))
            return false;
    return true;
}

static bool right_time(const struct filter_in *in, const struct row_times *t)
{
    if (t->expires && t->expires <= in->now)
        return false;
    if (in->as_of && !in_interval(in->as_of, t->valid_from, t->valid_to))
        return false;
    if (in->as_known_at && !in_interval(in->as_known_at, t->known_from, t->known_to))
        return false;
    return in_interval(t->created, in->created_from, in->created_to);
}

static bool test_row(const struct filter_in *in, const struct segment *s, uint32_t r, const struct group_test *t)
{
    if (!right_time(in, &s->times[r]))
        return false;
    if (!uuid_is_nil(in->author) && !uuid_eq(in->author, s->authors[r]))
        return false;
    if (t->session && t->session != s->session[r])
        return false;
    if (in->min_confidence > 0 && (double)s->scores[r].confidence < in->min_confidence)
        return false;
    if (in->min_importance > 0 && row_importance((struct row_at){s, r}, in->now) < in->min_importance)
        return false;
    return has_facets(in, s, r);
}

static uint64_t filter_word_of(const struct filter_in *in, const struct segment *s, const struct group_test *tests, uint32_t from,
                        uint64_t live)
{
    uint64_t word = 0;

    for (uint64_t left = live; left; left &= left - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(left);
        const struct group_test *t = &tests[s->group[from + bit]];

        if (t->pass && (!t->each || test_row(in, s, from + bit, t)))
            word |= 1ull << bit;
    }
    return word;
}

static size_t filter_segment(struct arena *a, const struct filter_in *in, const struct segment *s, const uint64_t *live,
                             uint64_t *out)
{
    struct group_test *tests = ARENA_ARRAY(a, struct group_test, s->n_groups + 1u);
    size_t n = 0, pass = 0;
    bool all = true;

    for (uint32_t g = 0; g < s->n_groups; g++) {
        tests[g] = test_group(in, &s->groups[g]);
        pass += tests[g].pass;
        all &= tests[g].pass && !tests[g].each;
    }
    for (uint32_t w = 0; pass && w < (s->n + 63) / 64; w++) {
        out[w] = all ? live[w] : filter_word_of(in, s, tests, w * 64, live[w]);
        n += (size_t)__builtin_popcountll(out[w]);
    }
    return n;
}

void filter_make(struct arena *a, const struct snapshot *s, const struct filter_in *in, struct filter *out)
{
    uint64_t *bits = ARENA_ARRAY(a, uint64_t, s->n_words + 1);
    size_t n = 0;

    for (size_t i = 0; i < s->n_segments; i++)
        n += filter_segment(a, in, s->segments[i], s->live + s->base[i] / 64, bits + s->base[i] / 64);
    *out = (struct filter){bits, s->n_words, n};
}

/* ---- what has no vector yet ----------------------------------------------------------------------------- */

static bool may_wait(const struct row_group *g)
{
    return !(g->flags & (ROW_HAS_VECTOR | ROW_FORGOTTEN | ROW_VERSION)) && g->kind != segment_kind("pool_entry");
}

/* A row that was looked at and has nothing to embed has an instant of its vector, and none of that. */
static size_t waiting_in_word(const struct segment *s, const bool *waits, uint32_t from, uint64_t word)
{
    size_t n = 0;

    for (; word; word &= word - 1) {
        uint32_t r = from + (uint32_t)__builtin_ctzll(word);

        n += waits[s->group[r]] && !s->times[r].vector_updated;
    }
    return n;
}

/* A segment whose rows all have vectors costs a look at its groups. */
static size_t waiting_in(struct arena *a, const struct segment *s, const uint64_t *bits)
{
    bool *waits = ARENA_ARRAY(a, bool, s->n_groups + 1u), any = false;
    size_t n = 0;

    for (uint32_t g = 0; g < s->n_groups; g++)
        any |= waits[g] = may_wait(&s->groups[g]);
    for (uint32_t w = 0; any && w < (s->n + 63) / 64; w++)
        n += waiting_in_word(s, waits, w * 64, bits[w]);
    return n;
}

size_t filter_waiting(struct arena *a, const struct snapshot *s, const struct filter *f)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_segments; i++)
        n += waiting_in(a, s->segments[i], f->bits + s->base[i] / 64);
    return n;
}
