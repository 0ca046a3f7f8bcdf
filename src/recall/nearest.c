/* Searching a snapshot's vectors; see nearest.h. */
#include "nearest.h"

#include <math.h>
#include <stdlib.h>

#include "app.h"
#include "config.h"
#include "index_store.h"

/* A segment without vectors holds no codes: it is no source. */
static void list_sources(struct ctx *c, struct nearest *q)
{
    q->sources = ARENA_ARRAY(c->arena, struct dense_source, q->in->n_segments);
    for (size_t i = 0; i < q->in->n_segments; i++)
        q->sources[i] = (struct dense_source){.part = q->in->segments[i]->dense, .ids = q->in->segments[i]->ids};
}

err nearest_begin(struct ctx *c, const struct snapshot *s, struct uuid model_id, const float *vector, size_t dim,
                  struct nearest *out)
{
    *out = (struct nearest){.in = s};
    if (!s->codec || codec_dim(s->codec) != dim || !uuid_eq(model_id, s->model_id))
        return ERR_OK;
    if (!codec_query(s->codec, c->arena, vector, &out->query))
        return fail(c, ERR_INVALID, "the query's vector holds a number that is not finite");
    list_sources(c, out);
    out->usable = true;
    return ERR_OK;
}

/* ---- float32 vectors, read when they are asked for ------------------------------------------------------ */

struct reading {
    struct ctx *c;
    const struct nearest *query;
    const struct uuid *ids; /* ascending */
    const float **vectors;  /* of ids */
    size_t n;
    bool may_lack; /* it goes on without them */
};

static int nearest_by_id(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

static void take_vector(void *arg, struct uuid node_id, const float *vector, size_t dim)
{
    const struct reading *r = arg;
    const struct uuid *at = bsearch(&node_id, r->ids, r->n, sizeof node_id, nearest_by_id);

    if (at && dim == codec_dim(r->query->query.codec))
        r->vectors[at - r->ids] = vector;
}

static err nearest_fetch(void *arg, const struct dense_hit *hits, size_t n, const float **vectors)
{
    struct reading *r = arg;
    struct uuid *ids = ARENA_ARRAY(r->c->arena, struct uuid, n);
    err e;

    for (size_t i = 0; i < n; i++)
        ids[i] = r->query->sources[hits[i].source].ids[hits[i].row];
    qsort(ids, n, sizeof *ids, nearest_by_id);
    r->ids = ids;
    r->vectors = ARENA_ARRAY(r->c->arena, const float *, n);
    r->n = n;
    e = index_store_vectors(r->c, r->query->in->model_id, ids, n, take_vector, r);
    if (e != ERR_OK && !r->may_lack)
        return e;
    if (e != ERR_OK)
        ctx_forgive(r->c);
    for (size_t i = 0; i < n; i++) {
        const struct uuid *at = bsearch(&r->query->sources[hits[i].source].ids[hits[i].row], ids, n, sizeof *ids, nearest_by_id);

        vectors[i] = r->vectors[at - ids];
    }
    return ERR_OK;
}

static struct dense_options nearest_options_of(struct ctx *c, struct reading *r, size_t k, bool exact)
{
    return (struct dense_options){.k = k, .exact = exact, .threads = (unsigned)c->app->conf->recall_scan_threads,
                                  .helpers = c->app->helpers, .fetch = exact ? nearest_fetch : NULL, .fetch_arg = r};
}

/* ---- searching and scoring ------------------------------------------------------------------------------ */

err nearest_find(struct ctx *c, const struct nearest *q, const struct filter *f, size_t k, size_t sure, bool exact,
                 struct nearest_hits *out)
{
    struct reading r = {.c = c, .query = q, .may_lack = !exact};
    struct dense_options o = nearest_options_of(c, &r, k, exact);
    struct dense_result found;
    struct dense_source *sources;

    *out = (struct nearest_hits){0};
    o.rough = !exact;
    if (!exact && sure && !q->in->holds_vectors) {
        o.sure = sure;
        o.fetch = nearest_fetch;
    }
    if (!q->usable)
        return ERR_OK;
    sources = ARENA_ARRAY(c->arena, struct dense_source, q->in->n_segments);
    for (size_t i = 0; i < q->in->n_segments; i++) {
        sources[i] = q->sources[i];
        sources[i].filter = f->bits + q->in->base[i] / 64;
    }
    TRY(dense_search(c->arena, &q->query, sources, q->in->n_segments, &o, &found));
    out->at = ARENA_ARRAY(c->arena, struct scored, found.n);
    for (size_t i = 0; i < found.n; i++)
        out->at[i] = (struct scored){q->in->base[found.hits[i].source] + found.hits[i].row, found.hits[i].score};
    out->n = found.n;
    out->trace = found.trace;
    return ERR_OK;
}

err nearest_score(struct ctx *c, const struct nearest *q, struct scored *list, size_t n, bool exact)
{
    struct reading r = {.c = c, .query = q};
    struct dense_options o = nearest_options_of(c, &r, n, exact);
    struct dense_hit *hits = ARENA_ARRAY(c->arena, struct dense_hit, n);

    for (size_t i = 0; q->usable && i < n; i++) {
        hits[i].source = snapshot_segment(q->in, list[i].row);
        hits[i].row = list[i].row - q->in->base[hits[i].source];
    }
    if (q->usable)
        TRY(dense_score(c->arena, &q->query, q->sources, &o, hits, n));
    for (size_t i = 0; i < n; i++)
        list[i].score = hits[i].score;
    return ERR_OK;
}

/* ---- a sample -------------------------------------------------------------------------------------------- */

#define SAMPLE 768 /* rows at least, where there are as many; on the mean up to twice as many */
#define SAMPLE_MOST 4096
#define ONE 4294967296.0 /* sums of whole numbers do not depend on their order */

static size_t take_sample(const struct nearest *q, const struct filter *f, struct dense_hit *out)
{
    unsigned level = 0;
    size_t n = 0;

    while (f->count >> level >= 2 * SAMPLE)
        level++;
    for (uint32_t i = 0; i < q->in->n_segments; i++) {
        const struct segment *s = q->in->segments[i];
        const uint64_t *bits = f->bits + q->in->base[i] / 64;

        for (uint32_t r = 0; s->dense && r < s->n; r++)
            if (s->level[r] >= level && bit_is_set(bits, r) && n < SAMPLE_MOST && dense_has(s->dense, r))
                out[n++] = (struct dense_hit){.source = i, .row = r};
    }
    return n;
}

struct nearest_spread nearest_spread(struct ctx *c, const struct nearest *q, const struct filter *f)
{
    struct dense_hit *rows = ARENA_ARRAY(c->arena, struct dense_hit, SAMPLE_MOST);
    const size_t n = take_sample(q, f, rows);
    int64_t sum = 0, squares = 0;
    double mean;

    if (n)
        dense_score_roughly(c->arena, &q->query, q->sources, rows, n);
    for (size_t i = 0; i < n; i++) {
        sum += (int64_t)((double)rows[i].score * ONE);
        squares += (int64_t)((double)rows[i].score * (double)rows[i].score * ONE);
    }
    mean = n ? (double)sum / ONE / (double)n : 0;
    return (struct nearest_spread){n, mean, n ? fmax((double)squares / ONE / (double)n - mean * mean, 0) : 0};
}

/* ---- rows and rows -------------------------------------------------------------------------------------- */

bool nearest_has(const struct snapshot *s, uint32_t row)
{
    struct row_at at = snapshot_at(s, row);

    return at.in->dense && dense_has(at.in->dense, at.r);
}

double nearest_between(const struct snapshot *s, uint32_t a, uint32_t b)
{
    struct row_at x = snapshot_at(s, a), y = snapshot_at(s, b);

    if (!nearest_has(s, a) || !nearest_has(s, b))
        return -2;
    return (double)dense_between(x.in->dense, x.r, y.in->dense, y.r);
}

struct one_vector {
    size_t dim;
    const float *v;
};

static void take_one(void *arg, struct uuid node_id, const float *vector, size_t dim)
{
    struct one_vector *one = arg;

    (void)node_id;
    one->v = dim == one->dim ? vector : NULL;
}

err nearest_vector_of(struct ctx *c, const struct snapshot *s, uint32_t row, const float **out)
{
    struct one_vector one = {.dim = s->codec ? codec_dim(s->codec) : 0};
    struct uuid id = snapshot_id(s, row);

    if (nearest_has(s, row))
        TRY(index_store_vectors(c, s->model_id, &id, 1, take_one, &one));
    *out = one.v;
    return ERR_OK;
}
