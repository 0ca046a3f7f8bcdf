/* The lists that a recall begins with: by meaning, by words, and what is newest; see recall_impl.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query_vector.h"
#include "recall_impl.h"
#include "sentences.h"
#include "vector.h"

/* ---- words ---------------------------------------------------------------------------------------------- */

/* The search for words needs nothing of that for meaning, so it goes on beside it where a thread has nothing else to do. */
struct word_search {
    struct ctx c; /* with an arena that belongs to whoever is at it */
    const struct snapshot *index;
    struct filter counts, wanted;
    const char *text;
    bool is_query;
    struct keyword *query;
    struct keyword_hits hits;
    struct errand errand;
};

static void find_words(void *arg)
{
    struct word_search *w = arg;

    w->query = (w->is_query ? keyword_begin : keyword_begin_text)(&w->c, w->index, &w->counts, &w->wanted, w->text);
    keyword_find(w->query, POOL, &w->hits);
}

static void drop_words(void *arg)
{
    struct word_search *w = arg;

    errand_drop(&w->errand);
    arena_free(w->c.arena);
}

static void begin_words(struct recall *r, struct helpers *helpers)
{
    struct word_search *w = ARENA_NEW(r->c->arena, struct word_search);
    const char *more = r->understood.expansion;

    *w = (struct word_search){.c = *r->c, .index = r->index, .counts = r->counts, .wanted = r->filter, .is_query = r->is_query,
                              .text = more ? arena_printf(r->c->arena, "%s %s", r->text, more) : r->text};
    w->c.arena = request_arena_new();
    w->errand = (struct errand){.run = find_words, .arg = w};
    arena_defer(r->c->arena, drop_words, w);
    errand_begin(helpers, &w->errand);
    r->word_search = w;
}

bool wants_sparse(const struct recall *r)
{
    return r->in->mode != MODE_VECTOR;
}

err stage_sparse(struct recall *r)
{
    if (!r->filter.count)
        return ERR_OK;
    if (!r->word_search)
        begin_words(r, NULL);
    errand_end(&r->word_search->errand);
    r->sparse = r->word_search->query;
    recall_mark_list(r, SIG_SPARSE, r->word_search->hits.at, r->word_search->hits.n);
    return ERR_OK;
}

void recall_end_words(struct recall *r)
{
    if (r->word_search) {
        errand_drop(&r->word_search->errand);
        keyword_end(r->word_search->query);
    }
    r->word_search = NULL;
    r->sparse = NULL;
}

/* ---- meaning -------------------------------------------------------------------------------------------- */

/* The mean of the query's vector, those of its hypotheses, and that of the question, if a message says other things before: a model
 * sees no more than its first words, and the mean of them all. */
static err own_vector(struct recall *r, struct query_vector *out)
{
    const struct understood *u = &r->understood;
    const char *question = r->is_query ? sentence_last_line(r->text) : r->text;
    const char **texts = ARENA_ARRAY(r->c->arena, const char *, 2 + u->n_hypotheses);
    struct query_vector *v = ARENA_ARRAY(r->c->arena, struct query_vector, 2 + u->n_hypotheses);
    size_t n = 1;
    float *mean;

    texts[0] = r->text;
    if (question > r->text)
        texts[n++] = question;
    for (size_t i = 0; i < u->n_hypotheses; i++)
        texts[n++] = u->hypotheses[i];
    TRY(query_vectors(r->c, r->index->model_id, texts, n, v));
    *out = v[0];
    if (n == 1 || !v[0].values)
        return ERR_OK;
    mean = ARENA_ARRAY(r->c->arena, float, v[0].dim);
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; v[i].values && d < v[0].dim; d++)
            mean[d] += v[i].values[d];
    out->values = mean;
    return ERR_OK;
}

/* The caller's, of unit length, if it is one of the model that serves. */
static err brought_vector(struct recall *r, struct query_vector *out)
{
    const struct nums *in = &r->in->embedding;
    const char *serves;
    float *v = ARENA_ARRAY(r->c->arena, float, in->n + 1);
    double square = 0;

    TRY(vector_model_name(r->c, r->index->model_id, &serves));
    if (!serves || !r->in->model || strcmp(serves, r->in->model) != 0)
        return fail_field(r->c, "/model", "the vectors of this account are of %s%s%s", serves ? "the model '" : "no model yet", serves ? serves : "",
                          serves ? "'" : "");
    if (r->index->codec && in->n != codec_dim(r->index->codec))
        return fail_field(r->c, "/query_embedding", "vectors of '%s' have %zu numbers, not %zu", serves, codec_dim(r->index->codec), in->n);
    for (size_t i = 0; i < in->n; i++)
        square += in->v[i] * in->v[i];
    if (!isfinite(square) || !(square > 0))
        return fail_field(r->c, "/query_embedding", "the vector has length zero");
    for (size_t i = 0; i < in->n; i++)
        v[i] = (float)(in->v[i] / sqrt(square));
    *out = (struct query_vector){.values = r->index->codec ? v : NULL, .dim = in->n, .model_id = r->index->model_id};
    return ERR_OK;
}

static void note_trace(struct recall *r, const struct dense_trace *t)
{
    struct arena *a = r->c->arena;

    if (!r->in->explain)
        return;
    r->stage_note = json_obj(a);
    json_set_int(a, r->stage_note, "scanned", (int64_t)t->scanned);
    json_set_int(a, r->stage_note, "rescored", (int64_t)t->rescored);
    json_set_int(a, r->stage_note, "exact", (int64_t)t->exact);
}

/* Where meaning alone decides and few rows may be found, which costs little to search, the hits are the very nearest. */
static size_t sure_of(const struct recall *r)
{
    return r->in->mode == MODE_VECTOR && r->filter.count <= DENSE_NARROW ? (size_t)r->in->limit : 0;
}

err stage_dense(struct recall *r)
{
    struct query_vector q = {0};
    struct nearest_hits hits;

    if (wants_sparse(r) && r->filter.count)
        begin_words(r, r->c->app->helpers);
    if (r->vector)
        q = *r->vector;
    else if (r->in->embedding.n)
        TRY(brought_vector(r, &q));
    else
        TRY(own_vector(r, &q));
    if (q.degraded)
        recall_degraded(r, q.degraded);
    if (!q.values || !r->filter.count)
        return ERR_OK;
    r->dense = ARENA_NEW(r->c->arena, struct nearest);
    TRY(nearest_begin(r->c, r->index, q.model_id, q.values, q.dim, r->dense));
    if (!r->dense->usable) {
        r->dense = NULL;
        return ERR_OK;
    }
    TRY(nearest_find(r->c, r->dense, &r->filter, POOL, sure_of(r), r->in->exact, &hits));
    recall_mark_list(r, SIG_DENSE, hits.at, hits.n);
    note_trace(r, &hits.trace);
    return ERR_OK;
}

/* ---- the newest ----------------------------------------------------------------------------------------- */

/* Ids are in the order of time. */
static uint32_t nth_newest(const struct segment *s, uint32_t i)
{
    return s->by_id ? s->by_id[s->n - 1 - i] : s->n - 1 - i;
}

struct newest {
    const struct recall *r;
    struct scored *at;
    size_t n;
};

static void add_newest(struct newest *out, size_t segment)
{
    const struct snapshot *s = out->r->index;
    size_t had = out->n;

    for (uint32_t i = 0; i < s->segments[segment]->n && out->n < had + POOL; i++) {
        uint32_t row = s->base[segment] + nth_newest(s->segments[segment], i);

        if (filter_has(&out->r->filter, row))
            out->at[out->n++] = (struct scored){.row = row};
    }
}

static int newest_first(const void *a, const void *b, void *arg)
{
    return -uuid_cmp(snapshot_id(arg, ((const struct scored *)a)->row), snapshot_id(arg, ((const struct scored *)b)->row));
}

err stage_recent(struct recall *r)
{
    struct newest all = {.r = r};

    all.at = ARENA_ARRAY(r->c->arena, struct scored, r->index->n_segments * POOL + 1);
    for (size_t i = 0; i < r->index->n_segments; i++)
        add_newest(&all, i);
    qsort_r(all.at, all.n, sizeof *all.at, newest_first, (void *)(uintptr_t)r->index);
    if (all.n > POOL)
        all.n = POOL;
    for (size_t i = 0; i < all.n; i++)
        all.at[i].score = (float)(all.n - i) / (float)all.n;
    recall_mark_list(r, SIG_RECENT, all.at, all.n);
    return ERR_OK;
}
