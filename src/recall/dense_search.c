/* The search: one bit a coordinate for every row, one byte for those that may be among the best, float32 for the last. */
#include "dense_search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    GROUP = 16,                  /* blocks whose sums are looked at while they are in the cache */
    LIST = 256,                  /* rows that are scored by bytes at once */
    FEW = 1024,                  /* so many rows are scored by bytes without a scan */
    BITS_PER_BYTES = 16          /* rows scanned by bits in the time of one by bytes */
};

/* How far estimates are trusted, in standard deviations. */
#define Z_DEFAULT 3.0f
#define Z_EXACT   4.5f

static float deviations(const struct search *s)
{
    return s->options->exact ? Z_EXACT : Z_DEFAULT;
}

/* ---- which rows */

static void open_piece(struct search *s, const struct dense_source *source, struct piece *p, size_t *visited)
{
    uint64_t *wanted;

    *p = (struct piece){ .part = source->part, .blocks = dense_words(source->part), .wanted = source->part->present };
    s->blocks += p->blocks;
    if (!source->filter) {
        s->trace.allowed += source->part->vectors;
        *visited += p->blocks * SCAN_BLOCK;
        return;
    }
    wanted = ARENA_ARRAY(s->arena, uint64_t, p->blocks);
    for (size_t b = 0; b < p->blocks; b++) {
        wanted[b] = source->filter[b] & source->part->present[b];
        s->trace.allowed += (size_t)__builtin_popcountll(wanted[b]);
        *visited += wanted[b] ? SCAN_BLOCK : 0;
    }
    p->wanted = wanted;
}

/* ---- by bits */

static void scan_group(struct worker *w, uint32_t source, size_t block, size_t n)
{
    const struct code_query *q = w->search->query;
    const struct piece *p = w->search->pieces + source;
    const struct simd_kernels *simd = codec_simd(q->codec);
    size_t columns = codec_width(q->codec) / 8;
    uint64_t picked[GROUP];
    uint16_t *sums = p->sums + block * SCAN_BLOCK;
    const float *factors = p->part->factors + block * SCAN_BLOCK;

    simd->scan_bits(&(struct scan_bits){ p->part->bits + block * SCAN_BLOCK * columns, q->tables, columns, p->wanted + block,
                                         n, sums });
    simd->scan_pick(&(struct scan_pick){ sums, factors, -q->centre, w->top.last.score, p->wanted + block, n, picked });
    for (size_t b = 0; b < n; b++)
        for (uint64_t left = picked[b]; left; left &= left - 1) {
            size_t r = b * SCAN_BLOCK + (size_t)__builtin_ctzll(left);

            dense_top_add(&w->top, source, (uint32_t)(block * SCAN_BLOCK + r),
                          ((float)sums[r] - q->centre) * factors[r]);
        }
}

static void scan_blocks(struct worker *w, uint32_t source, size_t block, size_t n)
{
    for (size_t done = 0; done < n; done += GROUP)
        scan_group(w, source, block + done, n - done < GROUP ? n - done : GROUP);
}

/* What the k-th best has at least, as the rows that look best by bits say. */
static float floor_of(struct search *s, struct dense_top *looking_best)
{
    struct dense_top best;
    float floor;

    dense_top_trim(looking_best);
    dense_score_by_bytes(s, looking_best->hits, looking_best->n);
    dense_top_init(&best, s->arena, s->sources, s->options->k);
    for (size_t i = 0; i < looking_best->n; i++)
        dense_top_put(&best, looking_best->hits + i);
    dense_top_trim(&best);
    floor = best.last.score;
    return floor - codes_bytes_slack(s->query, floor, deviations(s));
}

/* ---- by bytes */

/* With scanned sums: which rows may reach the floor. */
struct reach {
    float offset, floor;         /* in units of the sums */
};

static void score_rows(struct worker *w, uint32_t source, const uint32_t *rows, size_t n)
{
    const struct code_query *q = w->search->query;
    const struct dense_part *p = w->search->pieces[source].part;
    int32_t dots[LIST];

    codec_simd(q->codec)->scan_i8(&(struct scan_i8){ q->bytes, p->bytes, codec_width(q->codec), rows, n, dots });
    for (size_t i = 0; i < n; i++)
        dense_top_add(&w->top, source, rows[i], (float)dots[i] * (q->scale * p->scales[rows[i]]));
    w->counted += n;
}

static void rescore_blocks(struct worker *w, uint32_t source, size_t block, size_t n)
{
    const struct piece *p = w->search->pieces + source;
    const struct reach *reach = w->arg;
    const uint64_t *picked = reach ? p->picked + block : p->wanted + block;
    uint32_t rows[LIST + SCAN_BLOCK];
    size_t listed = 0;

    if (reach)
        codec_simd(w->search->query->codec)->scan_pick(&(struct scan_pick){
            p->sums + block * SCAN_BLOCK, p->part->factors + block * SCAN_BLOCK, reach->offset, reach->floor,
            p->wanted + block, n, p->picked + block });
    for (size_t b = 0; b < n; b++) {
        for (uint64_t left = picked[b]; left; left &= left - 1)
            rows[listed++] = (uint32_t)((block + b) * SCAN_BLOCK + (size_t)__builtin_ctzll(left));
        if (listed >= LIST) {
            score_rows(w, source, rows, LIST);
            listed -= LIST;
            memmove(rows, rows + LIST, listed * sizeof rows[0]);
        }
    }
    score_rows(w, source, rows, listed);
}

/* The dots of hits, as long a run of them as one kernel call can take; returns how many. */
static size_t dots_of(const struct search *s, const int8_t *query, const struct dense_hit *hits, size_t n, int32_t dots[LIST])
{
    const struct dense_part *p = s->pieces[hits[0].source].part;
    uint32_t rows[LIST];
    size_t run = 0;

    for (; run < LIST && run < n && hits[run].source == hits[0].source; run++)
        rows[run] = hits[run].row;
    codec_simd(p->codec)->scan_i8(&(struct scan_i8){ query, p->bytes, codec_width(p->codec), rows, run, dots });
    return run;
}

void dense_score_by_bytes(const struct search *s, struct dense_hit *hits, size_t n)
{
    const struct code_query *q = s->query;
    int32_t dots[LIST];

    for (size_t i = 0, run; i < n; i += run) {
        const float *scales = s->pieces[hits[i].source].part->scales;

        run = dots_of(s, q->bytes, hits + i, n - i, dots);
        for (size_t r = 0; r < run; r++)
            hits[i + r].score = (float)dots[r] * (q->scale * scales[hits[i + r].row]);
    }
}

void dense_score_closely(const struct search *s, struct dense_hit *hits, size_t n)
{
    const struct code_query *q = s->query;
    int32_t dots[LIST], fine[LIST];

    for (size_t i = 0, run; i < n; i += run) {
        const float *scales = s->pieces[hits[i].source].part->scales;

        run = dots_of(s, q->bytes, hits + i, n - i, dots);
        dots_of(s, q->fine, hits + i, n - i, fine);
        for (size_t r = 0; r < run; r++)
            hits[i + r].score = ((float)dots[r] + (float)fine[r] / CODES_FINE) * (q->step * scales[hits[i + r].row]);
    }
}

/* ---- all stages */

/* Scans by bits, and finds out which rows are worth more. */
static struct reach scan(struct search *s)
{
    const struct code_query *q = s->query;
    size_t look_at = 8 * s->options->k > 64 ? 8 * s->options->k : 64;
    struct dense_top looking_best;
    float floor, slack;

    for (size_t i = 0; i < s->n; i++) {
        s->pieces[i].sums = ARENA_ARRAY(s->arena, uint16_t, s->pieces[i].blocks * SCAN_BLOCK);
        s->pieces[i].picked = ARENA_ARRAY(s->arena, uint64_t, s->pieces[i].blocks);
    }
    dense_run(s, scan_blocks, NULL, look_at, &looking_best);
    floor = floor_of(s, &looking_best);
    slack = codes_bits_slack(q, fmaxf(floor, 0), deviations(s));
    return (struct reach){ slack / q->unit - q->centre, floor / q->unit };
}

static bool has_floats(const struct search *s)
{
    bool some = s->options->fetch != NULL;

    for (size_t i = 0; i < s->n; i++)
        some |= s->pieces[i].part->floats != NULL;
    return some;
}

/* How many of the best by bytes are kept: as many as contenders() may want. */
static size_t kept(const struct search *s)
{
    size_t k = s->options->k;

    return !has_floats(s) ? 3 * k : s->options->exact ? 32 * k + 256 : 8 * k + 64;
}

/* How many of the hits, best first, may be among the best k once they are scored more closely. */
static size_t contenders(const struct search *s, const struct dense_hit *hits, size_t n)
{
    size_t k = s->options->k, count = n < 3 * k ? n : 3 * k;
    float least;

    if (n <= k)
        return n;
    least = hits[k - 1].score - 2 * codes_bytes_slack(s->query, hits[k - 1].score, deviations(s));
    while (count < n && hits[count].score >= least)
        count++;
    return count;
}

static err finish(struct search *s, struct dense_top *best, struct dense_result *out)
{
    size_t k = s->options->k;

    dense_top_sort(best);
    best->n = contenders(s, best->hits, best->n);
    dense_score_closely(s, best->hits, best->n);
    if (has_floats(s))
        TRY(dense_score_by_floats(s, best->hits, best->n));
    dense_top_sort(best);
    for (size_t i = 0; i < best->n; i++)
        best->hits[i].score = fminf(fmaxf(best->hits[i].score, -1), 1);
    *out = (struct dense_result){ best->hits, best->n < k ? best->n : k, s->trace };
    return ERR_OK;
}

static struct search search_of(struct arena *a, const struct code_query *q, const struct dense_source *sources, size_t n,
                               const struct dense_options *options, size_t *visited)
{
    struct search s = { .arena = a, .query = q, .sources = sources, .n = n, .options = options };

    *visited = 0;
    s.pieces = ARENA_ARRAY(a, struct piece, n);
    for (size_t i = 0; i < n; i++) {
        assert(codec_dim(sources[i].part->codec) == codec_dim(q->codec));
        open_piece(&s, sources + i, s.pieces + i, visited);
    }
    return s;
}

err dense_search(struct arena *a, const struct code_query *q, const struct dense_source *sources, size_t n_sources,
                 const struct dense_options *options, struct dense_result *out)
{
    size_t visited, k = options->k;
    struct search s = search_of(a, q, sources, n_sources, options, &visited);
    struct dense_top best;
    struct reach reach;
    bool is_scan;

    *out = (struct dense_result){ .trace = s.trace };
    if (k == 0 || s.trace.allowed == 0)
        return ERR_OK;
    is_scan = q->unit > 0 && s.trace.allowed > FEW + 8 * k && s.trace.allowed > visited / BITS_PER_BYTES;
    if (is_scan) {
        reach = scan(&s);
        s.trace.scanned = visited;
    }
    s.trace.rescored = dense_run(&s, rescore_blocks, is_scan ? &reach : NULL, kept(&s), &best);
    return finish(&s, &best, out);
}
