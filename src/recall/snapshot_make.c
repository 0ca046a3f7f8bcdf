/* Making the next snapshot out of one: additions, deaths, merges; see snapshot.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

#define TIER 8          /* as many segments of one size are merged */
#define CHURN_ROWS 4096 /* a segment of as many rows is written anew … */
#define CHURN 10        /* … when one in ten of them is dead */
#define EDGE_SETS_MAX 48

static void *snapshot_make_zeroed(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    assert(p);
    return p;
}

static size_t words(size_t bits)
{
    return (bits + 63) / 64;
}

static size_t snapshot_make_count(const uint64_t *bits, size_t n)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        k += (size_t)__builtin_popcountll(bits[i]);
    return k;
}

static void fill(uint64_t *bits, size_t n)
{
    memset(bits, 0xff, n / 64 * 8);
    if (n % 64)
        bits[n / 64] = (1ull << n % 64) - 1;
}

static void snapshot_make_clear(uint64_t *bits, size_t i)
{
    bits[i >> 6] &= ~(1ull << (i & 63));
}

struct snapshot *snapshot_new(struct uuid model_id, const struct codec *codec)
{
    struct snapshot *s = snapshot_make_zeroed(1, sizeof *s);

    *s = (struct snapshot){.segments = snapshot_make_zeroed(0, sizeof(void *)), .base = snapshot_make_zeroed(1, sizeof(uint32_t)),
                           .live = snapshot_make_zeroed(0, 8), .edge_sets = snapshot_make_zeroed(0, sizeof(void *)),
                           .edge_live = snapshot_make_zeroed(0, sizeof(void *)), .codec = codec, .model_id = model_id,
                           .holds_vectors = codec != NULL, .bytes = sizeof *s, .refs = 1};
    return s;
}

struct snapshot *snapshot_hold(struct snapshot *s)
{
    __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void snapshot_drop(struct snapshot *s)
{
    if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    for (size_t i = 0; i < s->n_segments; i++)
        segment_drop(s->segments[i]);
    for (size_t i = 0; i < s->n_edge_sets; i++) {
        edge_set_drop(s->edge_sets[i]);
        free(s->edge_live[i]);
    }
    free(s->segments);
    free(s->base);
    free(s->live);
    free(s->edge_sets);
    free(s->edge_live);
    free(s);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* A segment and the bitmap of its live rows; NULL: all. */
struct piece {
    struct segment *segment; /* held for the new snapshot */
    const uint64_t *live;
};

static void lay_rows(struct snapshot *s, const struct piece *pieces, size_t n)
{
    size_t at = 0;

    s->segments = snapshot_make_zeroed(n, sizeof *s->segments);
    s->base = snapshot_make_zeroed(n + 1, sizeof *s->base);
    s->n_segments = n;
    for (size_t i = 0; i < n; i++) {
        s->segments[i] = pieces[i].segment;
        s->base[i] = (uint32_t)at;
        at += words(pieces[i].segment->n) * 64;
        s->bytes += pieces[i].segment->bytes;
    }
    assert(at < UINT32_MAX);
    s->base[n] = s->n_rows = (uint32_t)at;
    s->n_words = at / 64;
    s->live = snapshot_make_zeroed(s->n_words, sizeof *s->live);
    for (size_t i = 0; i < n; i++) {
        uint64_t *live = s->live + s->base[i] / 64;

        if (pieces[i].live)
            memcpy(live, pieces[i].live, words(pieces[i].segment->n) * sizeof *live);
        else
            fill(live, pieces[i].segment->n);
    }
    s->bytes += s->n_words * sizeof *s->live;
}

static const uint64_t *live_of(const struct snapshot *s, size_t segment)
{
    return s->live + s->base[segment] / 64;
}

static struct piece piece_of(const struct snapshot *s, size_t i)
{
    return (struct piece){segment_hold(s->segments[i]), live_of(s, i)};
}

/* Segments without a living row are left behind. */
static size_t living_pieces(const struct snapshot *s, struct piece *pieces)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_segments; i++)
        if (snapshot_make_count(live_of(s, i), words(s->segments[i]->n)))
            pieces[n++] = piece_of(s, i);
    return n;
}

static void kill_row(struct snapshot *s, size_t n_segments, struct uuid id)
{
    for (size_t i = 0; i < n_segments; i++) {
        uint32_t r = segment_find(s->segments[i], id);

        if (r != NO_ROW)
            snapshot_make_clear(s->live, s->base[i] + r);
    }
}

/* ---- edges ---------------------------------------------------------------------------------------------- */

static void snapshot_make_put_edges(struct snapshot *s, struct edge_set *set, const uint64_t *live)
{
    size_t n = words(set->n);
    uint64_t *bits = snapshot_make_zeroed(n, sizeof *bits);

    if (live)
        memcpy(bits, live, n * sizeof *bits);
    else
        fill(bits, set->n);
    s->edge_sets[s->n_edge_sets] = set;
    s->edge_live[s->n_edge_sets++] = bits;
    s->bytes += set->bytes + n * sizeof *bits;
}

static void kill_edge(struct snapshot *s, size_t n_sets, struct uuid id)
{
    for (size_t i = 0; i < n_sets; i++) {
        uint32_t r = edge_set_find(s->edge_sets[i], id);

        if (r != UINT32_MAX)
            snapshot_make_clear(s->edge_live[i], r);
    }
}

/* The newest sets that together are not much smaller than the one before them become one: their number stays
 * logarithmic, and each edge is copied so many times. */
static void merge_edges(struct snapshot *s)
{
    size_t from = s->n_edge_sets - 1, rows = s->edge_sets[from]->n;
    struct edge_set *merged;

    while (from > 0 && s->edge_sets[from - 1]->n <= TIER * rows)
        rows += s->edge_sets[--from]->n;
    if (s->n_edge_sets - from < 2)
        return;
    merged = edge_set_merge((const struct edge_set *const *)(s->edge_sets + from),
                            (const uint64_t *const *)(s->edge_live + from), s->n_edge_sets - from);
    for (; s->n_edge_sets > from; s->n_edge_sets--) {
        s->bytes -= s->edge_sets[s->n_edge_sets - 1]->bytes;
        edge_set_drop(s->edge_sets[s->n_edge_sets - 1]);
        free(s->edge_live[s->n_edge_sets - 1]);
    }
    if (merged)
        snapshot_make_put_edges(s, merged, NULL);
}

static void copy_edges(struct snapshot *out, const struct snapshot *s)
{
    assert(s->n_edge_sets < EDGE_SETS_MAX);
    out->edge_sets = snapshot_make_zeroed(s->n_edge_sets + 1, sizeof *out->edge_sets);
    out->edge_live = snapshot_make_zeroed(s->n_edge_sets + 1, sizeof *out->edge_live);
    for (size_t i = 0; i < s->n_edge_sets; i++)
        snapshot_make_put_edges(out, edge_set_hold(s->edge_sets[i]), s->edge_live[i]);
}

static void change_edges(struct snapshot *s, const struct snapshot_change *c)
{
    for (size_t i = 0; c->add_edges && i < c->add_edges->n; i++)
        kill_edge(s, s->n_edge_sets, c->add_edges->rows[i].id);
    for (size_t i = 0; i < c->n_gone_edges; i++)
        kill_edge(s, s->n_edge_sets, c->gone_edges[i]);
    if (c->add_edges) {
        snapshot_make_put_edges(s, c->add_edges, NULL);
        merge_edges(s);
    }
}

/* ---- the next one --------------------------------------------------------------------------------------- */

static struct snapshot *bare(const struct snapshot *s)
{
    struct snapshot *out = snapshot_make_zeroed(1, sizeof *out);

    *out = (struct snapshot){.codec = s->codec, .model_id = s->model_id, .bytes = sizeof *out, .refs = 1};
    return out;
}

static void count_all(struct snapshot *s)
{
    s->n_live = (uint32_t)snapshot_make_count(s->live, s->n_words);
    s->holds_vectors = s->codec != NULL;
    for (size_t i = 0; i < s->n_segments && s->codec; i++)
        s->holds_vectors &= dense_keeps(s->segments[i]->dense) == DENSE_VECTORS;
    s->n_edges = 0;
    for (size_t i = 0; i < s->n_edge_sets; i++)
        s->n_edges += snapshot_make_count(s->edge_live[i], words(s->edge_sets[i]->n));
}

struct snapshot *snapshot_next(const struct snapshot *s, const struct snapshot_change *change)
{
    struct snapshot *out = bare(s);
    struct piece *pieces = snapshot_make_zeroed(s->n_segments + 1, sizeof *pieces);
    size_t old = living_pieces(s, pieces), n = old;

    if (change->add)
        pieces[n++] = (struct piece){change->add, NULL};
    lay_rows(out, pieces, n);
    free(pieces);
    for (uint32_t i = 0; change->add && i < change->add->n; i++)
        kill_row(out, old, change->add->ids[i]);
    for (size_t i = 0; i < change->n_gone; i++)
        kill_row(out, n, change->gone[i]);
    copy_edges(out, s);
    change_edges(out, change);
    count_all(out);
    return out;
}

/* ---- merging -------------------------------------------------------------------------------------------- */

static unsigned tier_of(size_t rows)
{
    unsigned tier = 0;

    for (; rows >= TIER; rows /= TIER)
        tier++;
    return tier;
}

size_t snapshot_plan(const struct snapshot *s, size_t cells_from, size_t places[SNAPSHOT_MERGE_MAX], size_t *rows)
{
    size_t in_tier[16] = {0}, n = 0;
    unsigned tier = 0;

    for (size_t i = 0; i < s->n_segments; i++)
        in_tier[tier_of(s->segments[i]->n)]++;
    while (tier < 16 && in_tier[tier] < TIER)
        tier++;
    *rows = 0;
    for (size_t i = 0; i < s->n_segments && n < SNAPSHOT_MERGE_MAX; i++) {
        size_t size = s->segments[i]->n, live = snapshot_make_count(live_of(s, i), words(size));
        bool churned = size >= CHURN_ROWS && (size - live) * CHURN > size;
        bool alone = tier == 16 && (churned || segment_wants_cells(s->segments[i], cells_from));

        if (alone || (tier < 16 && tier_of(size) <= tier)) {
            places[n++] = i;
            *rows += live;
            if (alone)
                break;
        }
    }
    return *rows < SEGMENT_ROWS_MAX ? n : 0;
}

struct segment *snapshot_merge(const struct snapshot *s, size_t cells_from, const size_t *places, size_t n)
{
    const struct segment *in[SNAPSHOT_MERGE_MAX];
    const uint64_t *live[SNAPSHOT_MERGE_MAX];

    for (size_t i = 0; i < n; i++) {
        in[i] = s->segments[places[i]];
        live[i] = live_of(s, places[i]);
    }
    return segment_merge(in, live, n, cells_from);
}

static size_t snapshot_make_place_of(const struct snapshot *s, const struct segment *segment)
{
    size_t i = 0;

    while (i < s->n_segments && s->segments[i] != segment)
        i++;
    return i;
}

/* The rows of one replaced segment that lived then and are dead now. */
static void kill_since(struct snapshot *out, size_t merged, const struct segment *segment, const uint64_t *then,
                       const uint64_t *now)
{
    for (size_t w = 0; w < words(segment->n); w++)
        for (uint64_t dead = then[w] & ~now[w]; dead; dead &= dead - 1) {
            size_t r = w * 64 + (size_t)__builtin_ctzll(dead);
            uint32_t to = segment_find(out->segments[merged], segment->ids[r]);

            if (to != NO_ROW)
                snapshot_make_clear(out->live, out->base[merged] + to);
        }
}

/* A replaced segment that has no living row any more may be gone already: then all its rows died. */
static bool still_there(const struct snapshot *now, const struct snapshot *then, const size_t *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (snapshot_make_place_of(now, then->segments[places[i]]) == now->n_segments)
            return false;
    return true;
}

struct snapshot *snapshot_replace(const struct snapshot *now, const struct snapshot *then, const size_t *places, size_t n,
                                  struct segment *merged)
{
    struct piece *pieces;
    struct snapshot *out;
    size_t k = 0;

    if (!still_there(now, then, places, n)) {
        segment_drop(merged);
        return NULL;
    }
    pieces = snapshot_make_zeroed(now->n_segments + 1, sizeof *pieces);
    if (merged)
        pieces[k++] = (struct piece){merged, NULL};
    for (size_t i = 0; i < now->n_segments; i++) {
        bool replaced = false;

        for (size_t j = 0; j < n; j++)
            replaced |= then->segments[places[j]] == now->segments[i];
        if (!replaced)
            pieces[k++] = piece_of(now, i);
    }
    out = bare(now);
    lay_rows(out, pieces, k);
    free(pieces);
    for (size_t j = 0; merged && j < n; j++) {
        const struct segment *old = then->segments[places[j]];

        kill_since(out, 0, old, live_of(then, places[j]), live_of(now, snapshot_make_place_of(now, old)));
    }
    copy_edges(out, now);
    count_all(out);
    return out;
}
