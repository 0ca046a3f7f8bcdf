/* Asking recall for chunks of knowledge bases; see rag.h. rag_log.c keeps the record. */
#include "rag.h"

#include <math.h>

#include "base_model.h"
#include "clock.h"
#include "document.h"
#include "rag_impl.h"
#include "word_share.h"

#define SEARCH_DEPTH 100 /* chunks that documents are made of */
#define SNIPPET_CHARS 360
#define BEST_FEW 3
#define TURNS 3 /* of a question that documents are published under */

struct rag_work {
    const struct rag_in *in;
    struct uuids bases;
    struct base_models models;
    enum query_log log;
    struct recall_out found;
    struct list chunks; /* of struct chunk */
    int64_t began_us;
};

/* ---- where to look */

static err rag_bases(struct ctx *c, struct rag_work *w)
{
    const struct rag_in *in = w->in;
    struct uuids wanted = in->knowledge_base_ids;

    if (!uuid_is_nil(in->knowledge_base_id) && wanted.n)
        return fail_field(c, "/knowledge_base_id", "give either knowledge_base_id or knowledge_base_ids");
    if (!uuid_is_nil(in->knowledge_base_id))
        wanted = (struct uuids){arena_memdup(c->arena, &in->knowledge_base_id, sizeof in->knowledge_base_id), 1};
    TRY(knowledge_base_readable(c, wanted, &w->bases));
    TRY(knowledge_base_searchable(c, &w->bases, &w->log));
    return base_models_of(c, w->bases, &w->models);
}

static struct strs texts_of_ids(struct ctx *c, struct uuids ids)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, ids.n + 1);

    for (size_t i = 0; i < ids.n; i++)
        v[i] = arena_strdup(c->arena, UUID_STR(ids.v[i]));
    return (struct strs){v, ids.n};
}

static const enum recall_mode RECALL_MODES[] = {MODE_HYBRID, MODE_VECTOR, MODE_KEYWORD, MODE_GRAPH}; /* of enum rag_mode */

/* Scores of different models are not compared: their hits meet by rank. */
static void rag_meet(struct ctx *c, struct recall_out *a, const struct recall_out *b, size_t limit)
{
    const struct recall_hit *x = a->hits.v, *y = b->hits.v;
    struct recall_hit *v = ARENA_ARRAY(c->arena, struct recall_hit, a->hits.n + b->hits.n + 1);
    size_t n = 0;

    for (size_t i = 0; n < limit && (i < a->hits.n || i < b->hits.n); i++) {
        if (i < a->hits.n)
            v[n++] = x[i];
        if (i < b->hits.n && n < limit)
            v[n++] = y[i];
    }
    for (size_t i = 0; i < n; i++)
        v[i].score = 61 / (61 + (double)i);
    a->hits = (struct list){v, n};
    if (!a->degraded.n)
        a->degraded = b->degraded;
}

static err rag_recall_by(struct ctx *c, struct rag_work *w, size_t i, struct recall_in *ask)
{
    struct recall_out found = w->found;
    err e;

    ask->spaces = knowledge_base_spaces(c, w->models.of[i].bases);
    if (!ask->spaces.n)
        return ERR_OK; /* no spaces would mean all */
    c->model_id = w->models.of[i].model_id;
    e = recall_run(c, ask, &found);
    c->model_id = (struct uuid){0};
    TRY(e);
    if (i)
        rag_meet(c, &w->found, &found, (size_t)ask->limit);
    else
        w->found = found;
    return ERR_OK;
}

static err rag_recall(struct ctx *c, struct rag_work *w, int64_t limit, int64_t body_chars)
{
    static const enum recall_fusion FUSIONS[] = {FUSION_RRF, FUSION_WEIGHTED, FUSION_SIMPLE};
    static const char *KINDS[] = {"chunk"};
    struct recall_any of_documents = {"document_id", texts_of_ids(c, w->in->document_ids)};
    struct recall_filters filters = {.any = {&of_documents, w->in->document_ids.n ? 1 : 0}};
    struct recall_in ask;

    recall_in_defaults(&ask);
    ask.query = w->in->query;
    ask.mode = RECALL_MODES[w->in->mode];
    ask.kinds = (struct strs){KINDS, 1};
    ask.filters = &filters;
    ask.limit = limit;
    ask.fusion = w->in->fusion_method < 0 ? FUSION_AUTO : FUSIONS[w->in->fusion_method];
    ask.rerank = w->in->rerank ? RERANK_AUTO : RERANK_NONE;
    ask.lifecycle = SWITCH_OFF; /* documents do not fade */
    ask.min_score = w->in->similarity_threshold;
    ask.body_chars = body_chars;
    ask.explain = true; /* the record says what each signal found */
    ask.touch = false;
    w->found = (struct recall_out){.mode = enumx_name(&rag_mode_enumx, (int)w->in->mode), .fusion = "auto"};
    for (size_t i = 0; i < w->models.n; i++)
        TRY(rag_recall_by(c, w, i, &ask));
    return ERR_OK;
}

/* ---- results */

static err rag_read_chunks(struct ctx *c, struct rag_work *w)
{
    const struct recall_hit *hits = w->found.hits.v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, w->found.hits.n + 1);

    for (size_t i = 0; i < w->found.hits.n; i++)
        ids[i] = hits[i].id;
    return chunk_get_many(c, ids, w->found.hits.n, &w->chunks);
}

static const struct chunk *chunk_of_hit(const struct rag_work *w, struct uuid id)
{
    const struct chunk *v = w->chunks.v;

    for (size_t i = 0; i < w->chunks.n; i++)
        if (uuid_eq(v[i].id, id))
            return &v[i];
    return NULL;
}

static struct rag_result result_of(const struct rag_work *w, const struct recall_hit *h, const struct chunk *x)
{
    return (struct rag_result){.chunk_id = x->id, .document_id = x->document_id, .knowledge_base_id = x->knowledge_base_id,
                               .document_name = x->document_name, .content = x->content, .heading_path = x->heading_path,
                               .source_url = x->source_url, .score = h->score, .similarity = h->similarity, .matches = 1,
                               .sequence_number = x->sequence_number, .start_offset = x->start_offset, .end_offset = x->end_offset,
                               .untrusted = true, .band = h->band, .explain = w->in->explain ? h->explain : NULL};
}

static struct rag_result *result_of_document(struct rag_result *v, size_t n, struct uuid document_id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(v[i].document_id, document_id))
            return &v[i];
    return NULL;
}

/* What was replaced since the index was read is left out. */
static void rag_fill(struct ctx *c, const struct rag_work *w, bool by_document, size_t most, struct rag_out *out)
{
    const struct recall_hit *hits = w->found.hits.v;
    struct rag_result *v = ARENA_ARRAY(c->arena, struct rag_result, w->found.hits.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < w->found.hits.n; i++) {
        const struct chunk *x = chunk_of_hit(w, hits[i].id);
        struct rag_result *there = x && by_document ? result_of_document(v, n, x->document_id) : NULL;

        if (there) {
            there->matches++;
        } else if (x && n < most) {
            v[n] = result_of(w, &hits[i], x);
            v[n].rank = (int64_t)n + 1;
            if (by_document)
                v[n].content = hits[i].body;
            n++;
        }
    }
    out->results = (struct list){v, n};
    out->total_results = (int64_t)n;
}

/* ---- how good it is */

static enum rag_verdict rag_verdict_of(const struct rag_work *w)
{
    const struct recall_hit *hits = w->found.hits.v;

    if (!w->found.hits.n)
        return RAG_NOTHING_FOUND;
    return str_eq(hits[0].band, "high") ? RAG_CORRECT : str_eq(hits[0].band, "medium") ? RAG_AMBIGUOUS
                                                                                       : RAG_INCORRECT;
}

/* Half the likeness of the best few, a third the words of the question that they hold, the rest the verdict. */
static double rag_quality(struct ctx *c, const struct rag_work *w, const struct rag_out *out)
{
    static const double OF_VERDICT[] = {1, 0.5, 0, 0};
    const struct rag_result *v = out->results.v;
    size_t n = out->results.n < BEST_FEW ? out->results.n : BEST_FEW;
    struct word_share text = {.title = ""};
    double likeness = 0;
    struct buf words;

    if (!n)
        return 0;
    buf_init(&words, c->arena, 4096);
    for (size_t i = 0; i < n; i++) {
        likeness += (v[i].similarity >= 0 ? v[i].similarity : 0) / (double)n;
        buf_printf(&words, "%s %s\n", v[i].document_name, v[i].content ? v[i].content : "");
    }
    text.body = buf_str(&words);
    word_shares(c, w->in->query, &text, 1);
    return round(10000 * (0.5 * likeness + 0.3 * text.share + 0.2 * OF_VERDICT[out->verdict])) / 100;
}

static err rag_finish(struct ctx *c, struct rag_work *w, struct rag_out *out)
{
    struct rag_record record = {.in = w->in, .found = &w->found, .bases = w->bases, .log = w->log, .out = out};

    out->mode = w->found.mode;
    out->fusion_method = w->found.fusion;
    out->degraded = w->found.degraded;
    out->verdict = rag_verdict_of(w);
    out->quality_score = rag_quality(c, w, out);
    out->latency_ms = (double)(clock_monotonic_us() - w->began_us) / 1000;
    return w->bases.n ? rag_record_query(c, &record) : ERR_OK;
}

/* A document that is published between finding and reading: what was found is not there any more, and is looked for again. So is what
 * was not found at all, since the index may have read one half of that. */
static err rag_find_chunks(struct ctx *c, struct rag_work *w, int64_t limit, int64_t body_chars)
{
    for (int turn = 0; turn < TURNS; turn++) {
        TRY(rag_recall(c, w, limit, body_chars));
        TRY(rag_read_chunks(c, w));
        if (w->chunks.n == w->found.hits.n && (w->chunks.n || turn))
            break;
    }
    return ERR_OK;
}

static err rag_look(struct ctx *c, struct rag_work *w, struct rag_out *out)
{
    TRY(rag_bases(c, w));
    TRY(rag_find_chunks(c, w, w->in->top_k, 0));
    rag_fill(c, w, false, (size_t)w->in->top_k, out);
    return ERR_OK;
}

err rag_find(struct ctx *c, const struct rag_in *in, struct uuids *bases, struct rag_out *out)
{
    struct rag_work w = {.in = in, .began_us = clock_monotonic_us()};

    *out = (struct rag_out){0};
    TRY(rag_look(c, &w, out));
    out->verdict = rag_verdict_of(&w);
    out->degraded = w.found.degraded;
    *bases = w.bases;
    return ERR_OK;
}

const struct rag_result *rag_result_find(const struct list *results, struct uuid chunk_id)
{
    const struct rag_result *v = results->v;

    for (size_t i = 0; i < results->n; i++)
        if (uuid_eq(v[i].chunk_id, chunk_id))
            return &v[i];
    return NULL;
}

static bool rag_is_of(struct uuids spaces, struct uuid id)
{
    for (size_t i = 0; i < spaces.n; i++)
        if (uuid_eq(spaces.v[i], id))
            return true;
    return false;
}

err rag_results_of(struct ctx *c, const struct uuid *ids, size_t n, struct uuids spaces, struct list *out)
{
    struct rag_in none = {0};
    struct rag_work w = {.in = &none};
    const struct chunk *v;
    struct rag_result *rows;
    struct recall_hit hit = {.similarity = -1, .band = "low"};

    *out = (struct list){0};
    if (!n)
        return ERR_OK;
    TRY(chunk_get_many(c, ids, n, &w.chunks));
    v = w.chunks.v;
    rows = ARENA_ARRAY(c->arena, struct rag_result, w.chunks.n + 1);
    for (size_t i = 0; i < w.chunks.n; i++)
        if (rag_is_of(spaces, v[i].space_id))
            rows[out->n++] = result_of(&w, &hit, &v[i]);
    out->v = rows;
    return ERR_OK;
}

err rag_query(struct ctx *c, const struct rag_in *in, struct rag_out *out)
{
    struct rag_work w = {.in = in, .began_us = clock_monotonic_us()};

    TRY(rag_look(c, &w, out));
    return rag_finish(c, &w, out);
}

err rag_search(struct ctx *c, const struct rag_in *in, struct rag_out *out)
{
    struct rag_work w = {.in = in, .began_us = clock_monotonic_us()};

    TRY(rag_bases(c, &w));
    TRY(rag_find_chunks(c, &w, SEARCH_DEPTH, SNIPPET_CHARS));
    rag_fill(c, &w, true, (size_t)in->top_k, out);
    return rag_finish(c, &w, out);
}

enum recall_mode rag_recall_mode(enum rag_mode mode)
{
    return RECALL_MODES[mode];
}
