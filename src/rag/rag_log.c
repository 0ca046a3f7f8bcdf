/* The record of queries: what was asked, what each signal found, how good it was; see rag.h. */
#include <math.h>

#include "access.h"
#include "content.h"
#include "db.h"
#include "knowledge_base.h"
#include "principal.h"
#include "rag_ask.h"
#include "rag_impl.h"
#include "rag_store.h"
#include "row.h"
#include "thing.h"

#define RAG_KEPT_US (90 * 86400 * 1000000LL)

ENUMX_DEFINE(rag_mode, RAG_MODE);
ENUMX_DEFINE(rag_strategy, RAG_STRATEGY);
ENUMX_DEFINE(rag_fusion, RAG_FUSION);
ENUMX_DEFINE(rag_verdict, RAG_VERDICT);
ENUMX_DEFINE(rag_status, RAG_STATUS);

static const struct field RAG_QUERY_COLUMNS[] = {
    F_ID(struct rag_query_row, "id of the query"),
    F_STR(struct rag_query_row, query_text, COL_READ | FIELD_NULLABLE, 0, RAG_QUERY, "the words; null where a base keeps none"),
    F_BYTES(struct rag_query_row, query_hash, COL_ROW | FIELD_NULLABLE, "hash of the words"),
    F_STR(struct rag_query_row, principal_kind, COL_READ, 0, 16, "kind of who asked"),
    F_UUID(struct rag_query_row, principal_id, COL_READ, "who asked"),
    F_UUIDS(struct rag_query_row, knowledge_base_ids, COL_READ, 0, "bases that were looked in"),
    F_ENUM(struct rag_query_row, status, COL_READ, rag_status, RAG_COMPLETED, "partial: a signal was unavailable"),
    F_ENUM(struct rag_query_row, retrieval_strategy, COL_READ, rag_strategy, STRATEGY_HYBRID, "mode that was asked for"),
    F_INT(struct rag_query_row, top_k, COL_READ, 0, RAG_TOP_K, 0, "results that were asked for at most"),
    F_NUM(struct rag_query_row, similarity_threshold, COL_READ, 0, 1, 0, "least similarity that was asked for; 0: any"),
    F_INT(struct rag_query_row, results_count, COL_READ, 0, RAG_TOP_K, 0, "results"),
    F_NUM(struct rag_query_row, avg_score, COL_READ, 0, 1e9, 0, "mean of their scores"),
    F_NUM(struct rag_query_row, best_score, COL_READ, 0, 1e9, 0, "the best of them"),
    F_NUM(struct rag_query_row, processing_time_ms, COL_READ, 0, 1e9, 0, "how long it took"),
    F_INT(struct rag_query_row, rounds, COL_READ, 0, 100, 1, "rounds of searching"),
    F_INT(struct rag_query_row, tokens_used, COL_READ, 0, 9e15, 0, "tokens that a model took"),
    F_ENUM(struct rag_query_row, verdict, COL_READ, rag_verdict, RAG_CORRECT, "how well the results answer",
           .shades = "ok info warn off"),
    F_STRS(struct rag_query_row, degraded, COL_READ, 0, "signals that were unavailable"),
    F_INT(struct rag_query_row, feedback, COL_READ | FIELD_NULLABLE, 0, 1, 0, "1: useful, 0: not useful, null: not said"),
    F_NUM(struct rag_query_row, quality_score, COL_READ | FIELD_NULLABLE, 0, 100, 0, "0 to 100; null if it failed"),
    F_TIME(struct rag_query_row, created_at, COL_READ | COL_BORN, "when it was asked"),
    F_END
};
const struct thing RAG_QUERY_ROW = THING("rag_query", RAG_QUERY_COLUMNS, struct rag_query_row, .schema = "RagQuery");

static const struct field HYBRID_SEARCH_COLUMNS[] = {
    F_ID(struct hybrid_search_result, "id"),
    F_UUID(struct hybrid_search_result, rag_query_id, COL_READ, "the query"),
    F_STR(struct hybrid_search_result, search_mode, COL_READ, 0, 16, "mode that was used"),
    F_STR(struct hybrid_search_result, fusion_method, COL_READ, 0, 16, "fusion that was used"),
    F_JSON(struct hybrid_search_result, vector_results, COL_READ, 0, "id, rank and score by meaning"),
    F_JSON(struct hybrid_search_result, keyword_results, COL_READ, 0, "the same by words"),
    F_JSON(struct hybrid_search_result, graph_results, COL_READ, 0, "the same by the graph"),
    F_JSON(struct hybrid_search_result, merged_results, COL_READ, 0, "the same after fusion"),
    F_NUM(struct hybrid_search_result, vector_score, COL_READ | FIELD_NULLABLE, 0, 1e9, 0, "the best by meaning; null: none"),
    F_NUM(struct hybrid_search_result, keyword_score, COL_READ | FIELD_NULLABLE, 0, 1e9, 0, "the best by words; null: none"),
    F_NUM(struct hybrid_search_result, graph_score, COL_READ | FIELD_NULLABLE, 0, 1e9, 0, "the best by the graph; null: none"),
    F_INT(struct hybrid_search_result, result_count, COL_READ, 0, RAG_TOP_K, 0, "results"),
    F_NUM(struct hybrid_search_result, total_latency_ms, COL_READ, 0, 1e9, 0, "how long it took"),
    F_BOOL(struct hybrid_search_result, reranked, COL_READ, false, "the best were put in order once more"),
    F_TIME(struct hybrid_search_result, created_at, COL_READ | COL_BORN, "when it was asked"),
    F_END
};
const struct thing HYBRID_SEARCH_RESULT = THING("hybrid_search_result", HYBRID_SEARCH_COLUMNS, struct hybrid_search_result,
                                                .schema = "HybridSearchResult");

/* ---- writing */

static struct json *rank_json(struct ctx *c, struct uuid id, double rank, double score)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "id", uuid_text(id, arena_alloc(c->arena, UUID_TEXT)));
    json_set_int(c->arena, o, "rank", (int64_t)rank);
    json_set(c->arena, o, "score", json_num(c->arena, score));
    return o;
}

/* What one signal found among the hits; *best: its best score. */
static const struct json *found_by(struct ctx *c, const struct recall_out *found, const char *signal, double *best)
{
    const struct recall_hit *hits = found->hits.v;
    struct json *list = json_arr(c->arena);

    *best = NAN;
    for (size_t i = 0; i < found->hits.n; i++) {
        const struct json *s = json_get(json_get(json_opened(c->arena, hits[i].explain), "signals"), signal);
        double score = json_number(json_get(s, "score"));

        if (!s || json_is(json_get(s, "score"), JSON_NULL))
            continue;
        json_push(list, rank_json(c, hits[i].id, json_number(json_get(s, "rank")), score));
        *best = isnan(*best) || score > *best ? score : *best;
    }
    return list;
}

static const struct json *merged_of(struct ctx *c, const struct recall_out *found)
{
    const struct recall_hit *hits = found->hits.v;
    struct json *list = json_arr(c->arena);

    for (size_t i = 0; i < found->hits.n; i++)
        json_push(list, rank_json(c, hits[i].id, (double)i + 1, hits[i].score));
    return list;
}

static void rag_score(const struct recall_out *found, struct rag_query_row *q)
{
    const struct recall_hit *hits = found->hits.v;

    for (size_t i = 0; i < found->hits.n; i++) {
        q->avg_score += hits[i].score / (double)found->hits.n;
        q->best_score = hits[i].score > q->best_score ? hits[i].score : q->best_score;
    }
}

/* What is counted of a query besides what its kind of asking found. */
static err rag_count(struct ctx *c, const struct rag_query_row *q, const char *mode, struct uuids bases, struct uuids found)
{
    struct rag_count k = {.bases = bases, .found = found, .mode = mode, .query = q->query_text, .empty = !q->results_count,
                          .unanswered = q->verdict != RAG_CORRECT, .ms = q->processing_time_ms, .quality = q->quality_score};

    if (k.query)
        k.question_hash = content_question_hash(c->arena, "", k.query);
    TRY(rag_store_count(c, &k));
    return knowledge_base_record_query(c, bases.v, bases.n);
}

static struct uuids rag_found(struct ctx *c, const struct rag_out *out)
{
    const struct rag_result *v = out->results.v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, out->results.n + 1);

    for (size_t i = 0; i < out->results.n; i++)
        ids[i] = v[i].document_id;
    return (struct uuids){ids, out->results.n};
}

static err rag_write(struct ctx *c, void *arg)
{
    const struct rag_record *r = arg;
    struct rag_query_row q = {.id = r->out->query_id, .principal_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind),
                              .principal_id = c->who->id, .knowledge_base_ids = r->bases,
                                  .retrieval_strategy = (enum rag_strategy)r->in->mode, .rounds = 1,
                              .top_k = r->in->top_k, .similarity_threshold = r->in->similarity_threshold, .created_at = c->now,
                              .results_count = (int64_t)r->found->hits.n, .processing_time_ms = r->out->latency_ms,
                              .verdict = r->out->verdict, .degraded = r->out->degraded, .feedback = FIELD_NONE,
                              .quality_score = r->out->quality_score, .status = r->out->degraded.n ? RAG_PARTIAL : RAG_COMPLETED};
    struct hybrid_search_result h = {.id = uuid_new(c->now.us), .rag_query_id = q.id, .search_mode = r->out->mode,
                                     .fusion_method = r->out->fusion_method, .result_count = q.results_count,
                                     .total_latency_ms = r->out->latency_ms, .reranked = r->in->rerank, .created_at = c->now};

    rag_score(r->found, &q);
    q.query_text = r->log == QUERY_LOG_FULL ? r->in->query : NULL;
    q.query_hash = content_hash(c->arena, "", r->in->query, NULL);
    h.vector_results = found_by(c, r->found, "dense", &h.vector_score);
    h.keyword_results = found_by(c, r->found, "sparse", &h.keyword_score);
    h.graph_results = found_by(c, r->found, "graph", &h.graph_score);
    h.merged_results = merged_of(c, r->found);
    if (r->log != QUERY_LOG_OFF) {
        TRY(row_insert(c, &RAG_QUERY_ROW, &q));
        TRY(row_insert(c, &HYBRID_SEARCH_RESULT, &h));
    }
    return rag_count(c, &q, r->out->mode, r->bases, rag_found(c, r->out));
}

/* The counters of a base are one row: where many ask at once its record may be lost, and the answer is given all the same. */
static err rag_unrecorded(struct ctx *c, err e, struct uuid *query_id)
{
    if (e != ERR_UNAVAILABLE || db_in_tx(c))
        return e;
    ctx_forgive(c);
    *query_id = (struct uuid){0};
    return ERR_OK;
}

err rag_record_query(struct ctx *c, const struct rag_record *r)
{
    r->out->query_id = r->log == QUERY_LOG_OFF ? (struct uuid){0} : uuid_new(c->now.us);
    return rag_unrecorded(c, db_tx(c, rag_write, (void *)(uintptr_t)r), &r->out->query_id);
}

/* ---- of several rounds */

struct rag_ask_record {
    const struct ask_in *in;
    struct ask_out *out;
    struct uuids bases;
    enum query_log log;
};

static err rag_ask_write(struct ctx *c, void *arg)
{
    const struct rag_ask_record *r = arg;
    const struct ask_source *v = r->out->sources.v;
    struct rag_query_row q = {.id = r->out->query_id, .principal_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind),
                              .principal_id = c->who->id, .knowledge_base_ids = r->bases, .retrieval_strategy = STRATEGY_AGENTIC,
                              .top_k = 10, .created_at = c->now, .results_count = r->out->total_results, .verdict = r->out->verdict,
                              .processing_time_ms = r->out->latency_ms, .degraded = r->out->degraded, .feedback = FIELD_NONE,
                              .quality_score = r->out->total_results ? round(10000 * r->out->confidence) / 100 : 0,
                              .status = r->out->degraded.n ? RAG_PARTIAL : RAG_COMPLETED, .rounds = r->out->rounds,
                              .tokens_used = r->out->tokens};

    for (size_t i = 0; i < r->out->sources.n; i++) {
        q.avg_score += v[i].score / (double)r->out->sources.n;
        q.best_score = v[i].score > q.best_score ? v[i].score : q.best_score;
    }
    q.query_text = r->log == QUERY_LOG_FULL ? r->in->query : NULL;
    q.query_hash = content_hash(c->arena, "", r->in->query, NULL);
    if (r->log != QUERY_LOG_OFF)
        TRY(row_insert(c, &RAG_QUERY_ROW, &q));
    return rag_count(c, &q, "agentic", r->bases, (struct uuids){0});
}

err rag_record_ask(struct ctx *c, const struct ask_in *in, struct ask_out *out, struct uuids bases)
{
    struct rag_ask_record r = {.in = in, .out = out, .bases = bases};

    TRY(knowledge_base_searchable(c, &r.bases, &r.log));
    out->query_id = r.log == QUERY_LOG_OFF ? (struct uuid){0} : uuid_new(c->now.us);
    return rag_unrecorded(c, db_tx(c, rag_ask_write, &r), &out->query_id);
}

/* ---- reading */

err rag_queries(struct ctx *c, const struct thing_page *in, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, in->cursor, &before));
    return rag_store_own(c, before, in->limit, out);
}

static err rag_own(struct ctx *c, struct uuid id, struct rag_query_row *out)
{
    bool found;

    TRY(row_get(c, &RAG_QUERY_ROW, id, &found, out));
    return found && uuid_eq(out->principal_id, c->who->id) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such query");
}

err rag_query_get(struct ctx *c, struct uuid id, struct rag_query_view *out)
{
    TRY(rag_own(c, id, &out->query));
    return rag_store_searches(c, id, &out->searches);
}

err rag_feedback(struct ctx *c, struct uuid id, bool useful, struct rag_query_row *out)
{
    TRY(rag_own(c, id, out));
    if (out->feedback != FIELD_NONE)
        return fail(c, ERR_CONFLICT, "feedback of this query is given already");
    out->feedback = useful;
    out->quality_score = ((isnan(out->quality_score) ? 0 : out->quality_score) + (useful ? 100 : 0)) / 2;
    return rag_store_feedback(c, id, useful, out->quality_score);
}

double rag_avg_latency_for(const struct rag_analytics *a, int mode)
{
    const struct rag_mode_stat *m = a->modes.v;
    double sum = 0, n = 0;

    for (size_t i = 0; i < a->modes.n; i++) {
        if (mode >= 0 && !str_eq(m[i].mode, enumx_name(&rag_strategy_enumx, mode)))
            continue;
        sum += m[i].avg_latency_ms * (double)m[i].n;
        n += (double)m[i].n;
    }
    return n > 0 ? sum / n : NAN;
}

/* The end of the bucket in which that share of a mode's queries is reached. */
static double rag_share_ms(const struct rag_bucket *b, size_t n, const char *mode, double share, int64_t all)
{
    int64_t seen = 0;

    for (size_t i = 0; i < n; i++) {
        seen += str_eq(b[i].mode, mode) ? b[i].n : 0;
        if (str_eq(b[i].mode, mode) && (double)seen >= share * (double)all)
            return exp2((double)(b[i].bucket + 1) / RAG_BUCKETS_A_DOUBLING) - 1;
    }
    return NAN;
}

static err rag_put_shares(struct ctx *c, struct uuids bases, struct rag_analytics *out)
{
    struct rag_mode_stat *m = (struct rag_mode_stat *)(uintptr_t)out->modes.v;
    struct list buckets;

    TRY(rag_store_latency(c, bases, out->days, &buckets));
    for (size_t i = 0; i < out->modes.n; i++) {
        m[i].p50_ms = rag_share_ms(buckets.v, buckets.n, m[i].mode, 0.5, m[i].n);
        m[i].p95_ms = rag_share_ms(buckets.v, buckets.n, m[i].mode, 0.95, m[i].n);
    }
    return ERR_OK;
}

err rag_analytics(struct ctx *c, struct uuid knowledge_base_id, int64_t days, int mode, struct rag_analytics *out)
{
    const struct rag_mode_stat *m;
    struct uuids bases;

    TRY(knowledge_base_readable(c, (struct uuids){&knowledge_base_id, uuid_is_nil(knowledge_base_id) ? 0 : 1}, &bases));
    *out = (struct rag_analytics){.knowledge_base_id = knowledge_base_id, .days = days};
    TRY(rag_store_stats(c, bases, days, &out->modes));
    m = out->modes.v;
    for (size_t i = 0; i < out->modes.n; i++) {
        out->queries += m[i].n;
        out->empty += m[i].empty;
    }
    out->avg_latency_ms = rag_avg_latency_for(out, mode);
    return rag_put_shares(c, bases, out);
}

err rag_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return rag_store_purge(c, (struct instant){c->now.us - RAG_KEPT_US}, limit, n);
}

err rag_purge_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return rag_store_old_accounts(c, (struct instant){c->now.us - RAG_KEPT_US}, above, ids, max, n);
}
