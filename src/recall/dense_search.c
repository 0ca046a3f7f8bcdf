/* The search: one bit a coordinate for every row, one byte for those that may be among the best, float32 for the last. */
#include "dense_search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    GROUP = 64,                  /* blocks whose sums are looked at while they are in the cache */
    GROUP_FIRST = 8,             /* the first ones say what is worth noting of the others */
    LIST = 256,                  /* rows that are scored by bytes at once */
    FEW = 1024,                  /* so many rows are scored by bytes without a scan */
    NEAREST_ROWS = 4096,         /* of the nearest cells are scanned before the others are judged */
    BITS_PER_BYTES = 16          /* rows scanned by bits in the time of one by bytes */
};

/* How far estimates are trusted, in standard deviations. With a rough one a row just above the last of the list is lost one
 * time in six, and one well above it never. */
#define Z_ROUGH 1.0f
#define Z_DEFAULT 3.0f
#define Z_EXACT 4.5f

static float deviations(const struct search *s)
{
    return s->options->exact ? Z_EXACT : s->options->rough ? Z_ROUGH : Z_DEFAULT;
}

/* ---- by bits */

static bool is_allowed(const struct piece *p, uint32_t row)
{
    return !p->check || (p->check[row / SCAN_BLOCK] >> row % SCAN_BLOCK & 1);
}

/* A piece from one of its blocks on, as kernels want it. */
struct stretch {
    const uint8_t *bits;
    const float *factors;
    const uint32_t *list;
};

static struct stretch stretch_from(const struct piece *p, size_t block)
{
    size_t first = p->list ? 0 : block * SCAN_BLOCK;

    return (struct stretch){ p->part->bits + first * (codec_width(p->part->codec) / 8), p->part->factors + first,
                             p->list ? p->list + block : NULL };
}

static uint32_t dense_search_slot_of(const struct piece *p, size_t block, uint64_t bits)
{
    return (uint32_t)(scan_block(p->list, block) * SCAN_BLOCK + (size_t)__builtin_ctzll(bits));
}

/* What looks worse than `least` is not wanted. */
static void scan_group(struct worker *w, const struct piece *p, size_t block, size_t n)
{
    const struct code_query *q = w->search->query;
    const struct simd_kernels *simd = codec_simd(q->codec);
    const struct stretch at = stretch_from(p, block);
    const float *least = w->arg;
    uint64_t picked[GROUP];
    uint16_t *sums = p->sums + block * SCAN_BLOCK;

    simd->scan_bits(
        &(struct scan_bits){ at.bits, q->tables, codec_width(q->codec) / 8, p->wanted + block, n, sums, at.list });
    simd->scan_pick(&(struct scan_pick){ sums, at.factors, -q->centre, fmaxf(w->top.last.score, *least), p->wanted + block,
                                         n, picked, at.list });
    w->counted += n * SCAN_BLOCK;
    for (size_t b = 0; b < n; b++)
        for (uint64_t left = picked[b]; left; left &= left - 1) {
            uint32_t slot = dense_search_slot_of(p, block + b, left), row = dense_row(p->part, slot);

            if (is_allowed(p, row))
                dense_top_add(&w->top, p->source, row,
                              ((float)sums[b * SCAN_BLOCK + slot % SCAN_BLOCK] - q->centre) * p->part->factors[slot]);
        }
}

static void scan_blocks(struct worker *w, const struct piece *p, size_t block, size_t n)
{
    for (size_t done = 0, group = GROUP_FIRST; done < n; done += group, group = group < GROUP ? 2 * group : GROUP)
        scan_group(w, p, block + done, n - done < group ? n - done : group);
}

/* What the k-th best has at least. */
static float floor_of(const struct search *s, struct dense_top *best)
{
    dense_top_trim(best);
    return best->last.score - codes_bytes_slack(s->query, best->last.score, deviations(s));
}

/* ---- by bytes */

/* With scanned sums: which rows may reach the floor. */
struct reach {
    float offset, floor; /* in units of the sums */
};

static void score_slots(struct worker *w, const struct piece *p, const uint32_t *slots, size_t n)
{
    const struct code_query *q = w->search->query;
    int32_t dots[LIST];

    codec_simd(q->codec)->scan_i8(&(struct scan_i8){q->bytes, p->part->bytes, codec_width(q->codec), slots, n, dots});
    for (size_t i = 0; i < n; i++)
        dense_top_add(&w->top, p->source, dense_row(p->part, slots[i]), (float)dots[i] * (q->scale * p->part->scales[slots[i]]));
    w->counted += n;
}

static void rescore_blocks(struct worker *w, const struct piece *p, size_t block, size_t n)
{
    const struct reach *reach = w->arg;
    const uint64_t *picked = reach ? p->picked + block : p->wanted + block;
    uint32_t slots[LIST + SCAN_BLOCK];
    const struct stretch at = stretch_from(p, block);
    size_t listed = 0;

    if (reach)
        codec_simd(w->search->query->codec)->scan_pick(
            &(struct scan_pick){ p->sums + block * SCAN_BLOCK, at.factors, reach->offset, reach->floor, p->wanted + block, n,
                                 p->picked + block, at.list });
    for (size_t b = 0; b < n; b++) {
        for (uint64_t left = picked[b]; left; left &= left - 1) {
            slots[listed] = dense_search_slot_of(p, block + b, left);
            listed += is_allowed(p, dense_row(p->part, slots[listed]));
        }
        if (listed >= LIST) {
            score_slots(w, p, slots, LIST);
            listed -= LIST;
            memmove(slots, slots + LIST, listed * sizeof slots[0]);
        }
    }
    score_slots(w, p, slots, listed);
}

/* ---- all stages */

/* Scans the pieces from `from` on by bits. The rows that look best are among `best` then, by bytes. */
static void scan(struct search *s, size_t from, struct dense_top *best)
{
    size_t many = s->options->rough ? 2 : 8, look_at = many * s->options->k > 64 ? many * s->options->k : 64;
    float least = floor_of(s, best) / s->query->unit;
    struct dense_top looking_best;

    for (size_t i = from; i < s->n_pieces; i++) {
        s->pieces[i].sums = ARENA_ARRAY(s->arena, uint16_t, s->pieces[i].blocks * SCAN_BLOCK);
        s->pieces[i].picked = ARENA_ARRAY(s->arena, uint64_t, s->pieces[i].blocks);
    }
    s->trace.scanned += dense_run(s, from, scan_blocks, &least, look_at, &looking_best);
    dense_top_trim(&looking_best);
    dense_score_by_bytes(s, looking_best.hits, looking_best.n);
    for (size_t i = 0; i < looking_best.n; i++)
        dense_top_put(best, looking_best.hits + i);
}

/* Near cells first: what they hold says how far others must reach. Returns the least that the k-th best has. */
static float scan_all(struct search *s)
{
    struct near_cells *cells = dense_near_cells(s);
    size_t rows = NEAREST_ROWS + 64 * s->options->k, from = 0;
    struct dense_top best;
    bool more = cells != NULL;

    dense_top_init(&best, s->arena, s->sources, s->options->k);
    dense_add_whole(s, false);
    do {
        if (more)
            more = dense_add_nearest(s, cells, rows);
        scan(s, from, &best);
        from = s->n_pieces;
        rows *= 8;
    } while (more && isinf(floor_of(s, &best)));
    if (more) {
        dense_add_within(s, cells, floor_of(s, &best));
        scan(s, from, &best);
    }
    return floor_of(s, &best);
}

/* Which rows are worth more than their bits. */
static struct reach reach_of(const struct search *s, float floor)
{
    const struct code_query *q = s->query;
    float slack = codes_bits_slack(q, fmaxf(floor, 0), deviations(s));

    return (struct reach){slack / q->unit - q->centre, floor / q->unit};
}

static bool has_floats(const struct search *s)
{
    bool some = s->options->fetch && !s->options->sure;

    for (size_t i = 0; i < s->n_sources; i++)
        some |= s->sources[i].part->floats != NULL;
    return some && s->query->vector;
}

/* How many of the best by bytes are kept: as many as contenders() may want. */
static size_t kept(const struct search *s)
{
    size_t k = s->options->k;

    return s->options->rough ? k + k / 4 : !has_floats(s) ? 3 * k : s->options->exact ? 32 * k + 256 : 8 * k + 64;
}

/* How many of the hits, best first, may be among the best k once they are scored more closely. */
static size_t contenders(const struct search *s, const struct dense_hit *hits, size_t n)
{
    size_t k = s->options->k, count = n < 3 * k ? n : 3 * k;
    float least;

    if (n <= k || s->options->rough)
        return n;
    least = hits[k - 1].score - 2 * codes_bytes_slack(s->query, hits[k - 1].score, deviations(s));
    while (count < n && hits[count].score >= least)
        count++;
    return count;
}

/* The codes of rows on both sides of the line between the first `sure` and the others may say too little to tell them apart. */
static err settle(struct search *s, struct dense_top *best)
{
    size_t sure = s->options->sure, low = sure - 1, high = sure;
    const struct dense_hit *hits = best->hits;
    float line, slack;

    dense_top_sort(best);
    if (best->n <= sure)
        return ERR_OK;
    line = hits[low].score;
    slack = codes_closely_slack(s->query, line, Z_DEFAULT) * (float)M_SQRT2;
    while (high < best->n && line - hits[high].score <= slack)
        high++;
    while (low > 0 && hits[low - 1].score - hits[sure].score <= slack)
        low--;
    return high > sure ? dense_score_by_floats(s, best->hits + low, high - low) : ERR_OK;
}

static err dense_search_finish(struct search *s, struct dense_top *best, struct dense_result *out)
{
    size_t k = s->options->k;

    dense_top_sort(best);
    best->n = contenders(s, best->hits, best->n);
    dense_score_closely(s, best->hits, best->n);
    if (has_floats(s))
        TRY(dense_score_by_floats(s, best->hits, best->n));
    else if (s->options->sure && s->options->fetch)
        TRY(settle(s, best));
    dense_top_sort(best);
    for (size_t i = 0; i < best->n; i++)
        best->hits[i].score = fminf(fmaxf(best->hits[i].score, -1), 1);
    *out = (struct dense_result){best->hits, best->n < k ? best->n : k, s->trace};
    return ERR_OK;
}

err dense_search(struct arena *a, const struct code_query *q, const struct dense_source *sources, size_t n_sources,
                 const struct dense_options *options, struct dense_result *out)
{
    struct search s = {.arena = a, .query = q, .sources = sources, .n_sources = n_sources, .options = options};
    size_t k = options->k, visited;
    struct dense_top best;
    struct reach reach;
    bool is_scan;

    for (size_t i = 0; i < n_sources; i++)
        assert(codec_dim(sources[i].part->codec) == codec_dim(q->codec));
    visited = dense_allow(&s);
    *out = (struct dense_result){.trace = s.trace};
    if (k == 0 || s.trace.allowed == 0)
        return ERR_OK;
    is_scan = q->unit > 0 && s.trace.allowed > FEW + 8 * k && s.trace.allowed > visited / BITS_PER_BYTES;
    if (is_scan)
        reach = reach_of(&s, scan_all(&s));
    else
        dense_add_whole(&s, true);
    s.trace.rescored = dense_run(&s, 0, rescore_blocks, is_scan ? &reach : NULL, kept(&s), &best);
    return dense_search_finish(&s, &best, out);
}
