/* SQL of queries and their sums. */
#include "rag_store.h"

#include <math.h>

#include "principal.h"
#include "row.h"

err rag_store_own(struct ctx *c, struct uuid before, int64_t limit, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &RAG_QUERY_ROW, "SELECT {*} FROM {from} WHERE account_id = ? AND principal_id = ? AND id < ? ORDER BY id "
        "DESC LIMIT ?",
               IN(c->account_id), IN(c->who->id), IN(before), IN(limit + 1));
    return row_page(c, &RAG_QUERY_ROW, &s, limit, out);
}

err rag_store_searches(struct ctx *c, struct uuid query_id, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &HYBRID_SEARCH_RESULT, "SELECT {*} FROM {from} WHERE account_id = ? AND rag_query_id = ? ORDER BY id",
               IN(c->account_id), IN(query_id));
    return row_all(c, &HYBRID_SEARCH_RESULT, &s, 10, out);
}

err rag_store_feedback(struct ctx *c, struct uuid id, bool useful, double quality)
{
    return db_exec(c, NULL, "UPDATE rag_query SET feedback = ?, quality_score = ? WHERE account_id = ? AND id = ?", IN(useful), IN(quality),
                   IN(c->account_id), IN(id));
}

static err rag_store_sums(struct ctx *c, const struct rag_count *k)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO rag_stat (account_id, knowledge_base_id, day, mode, n, empty, sum_ms, sum_quality) VALUES ");
    for (size_t i = 0; i < k->bases.n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,DATE(?),?,1,?,?,?)", IN(c->account_id), IN(k->bases.v[i]), IN(c->now),
                IN(k->mode), IN((int64_t)k->empty), IN(k->ms), IN(k->quality));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE n = n + 1, empty = empty + VALUE(empty), sum_ms = sum_ms + VALUE(sum_ms), "
                "sum_quality = sum_quality + VALUE(sum_quality)");
    return sql_exec(c, NULL, &s);
}

static err rag_store_bucket(struct ctx *c, const struct rag_count *k)
{
    int64_t bucket = (int64_t)(RAG_BUCKETS_A_DOUBLING * log2(k->ms + 1));
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO rag_latency (account_id, knowledge_base_id, day, mode, bucket, n) VALUES ");
    for (size_t i = 0; i < k->bases.n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,DATE(?),?,?,1)", IN(c->account_id), IN(k->bases.v[i]), IN(c->now), IN(k->mode),
                IN(bucket));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE n = n + 1");
    return sql_exec(c, NULL, &s);
}

static err rag_store_question(struct ctx *c, const struct rag_count *k)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO rag_question (account_id, knowledge_base_id, question_hash, query_text, n, unanswered, most_ms, last_at) "
                "VALUES ");
    for (size_t i = 0; i < k->bases.n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,1,?,?,?)", IN(c->account_id), IN(k->bases.v[i]), IN(k->question_hash),
                IN(k->query), IN((int64_t)k->unanswered), IN(k->ms), IN(c->now));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE n = n + 1, unanswered = unanswered + VALUE(unanswered), "
                "most_ms = GREATEST(most_ms, VALUE(most_ms)), last_at = VALUE(last_at)");
    return sql_exec(c, NULL, &s);
}

static err rag_store_found(struct ctx *c, struct uuids documents)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO document_found (account_id, document_id, found_at) SELECT account_id, id, ? FROM document "
                "WHERE account_id = ?",
            IN(c->now), IN(c->account_id));
    sql_add_in_uuids(&s, "id", documents.v, documents.n);
    return sql_exec(c, NULL, &s);
}

err rag_store_count(struct ctx *c, const struct rag_count *k)
{
    TRY(rag_store_sums(c, k));
    TRY(rag_store_bucket(c, k));
    if (k->query)
        TRY(rag_store_question(c, k));
    return k->found.n ? rag_store_found(c, k->found) : ERR_OK;
}

static err rag_read_stat(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct rag_mode_stat *m = row;

    return db_row(q, c, found, OUT(&m->mode), OUT(&m->n), OUT(&m->empty), OUT(&m->avg_latency_ms), OUT(&m->avg_quality));
}

err rag_store_stats(struct ctx *c, struct uuids bases, int64_t days, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT mode, CAST(SUM(n) AS SIGNED), CAST(SUM(empty) AS SIGNED), SUM(sum_ms) / SUM(n), SUM(sum_quality) / SUM(n) "
                "FROM rag_stat WHERE account_id = ? AND day > DATE(?) - INTERVAL ? DAY",
            IN(c->account_id), IN(c->now), IN(days));
    sql_add_in_uuids(&s, "knowledge_base_id", bases.v, bases.n);
    sql_add(&s, " GROUP BY mode ORDER BY mode");
    return sql_rows(c, &s, 16, sizeof(struct rag_mode_stat), rag_read_stat, &out->v, &out->n);
}

static err rag_read_bucket(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct rag_bucket *b = row;

    return db_row(q, c, found, OUT(&b->mode), OUT(&b->bucket), OUT(&b->n));
}

err rag_store_latency(struct ctx *c, struct uuids bases, int64_t days, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT mode, bucket, CAST(SUM(n) AS SIGNED) FROM rag_latency WHERE account_id = ? AND day > DATE(?) - INTERVAL ? DAY",
            IN(c->account_id), IN(c->now), IN(days));
    sql_add_in_uuids(&s, "knowledge_base_id", bases.v, bases.n);
    sql_add(&s, " GROUP BY mode, bucket ORDER BY mode, bucket");
    return sql_rows(c, &s, 2000, sizeof(struct rag_bucket), rag_read_bucket, &out->v, &out->n);
}

err rag_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n)
{
    int64_t questions;

    TRY(db_exec(c, n, "DELETE FROM rag_query WHERE account_id = ? AND created_at < ? LIMIT ?", IN(c->account_id), IN(before), IN(limit)));
    TRY(db_exec(c, &questions, "DELETE FROM rag_question WHERE account_id = ? AND last_at < ? LIMIT ?", IN(c->account_id), IN(before),
                IN(limit)));
    *n = *n > questions ? *n : questions;
    return ERR_OK;
}

err rag_store_old_accounts(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM rag_query WHERE account_id > ? AND created_at < ? ORDER BY account_id LIMIT ?",
                 IN(above), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
