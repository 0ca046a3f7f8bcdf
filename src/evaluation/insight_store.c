/* See insight_store.h. */
#include "insight_store.h"

#include "db.h"

static err insight_read_day(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct insight_day *d = row;

    return db_row(q, c, found, OUT(&d->day), OUT(&d->n), OUT(&d->empty));
}

err insight_store_days(struct ctx *c, const struct insight_in *in, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DATE_FORMAT(day, '%Y-%m-%d'), CAST(SUM(n) AS SIGNED), CAST(SUM(empty) AS SIGNED) FROM rag_stat WHERE "
                "account_id = ? AND knowledge_base_id = ? AND day > DATE(?) - INTERVAL ? DAY GROUP BY day ORDER BY day",
            IN(c->account_id), IN(in->knowledge_base_id), IN(c->now), IN(in->days));
    return sql_rows(c, &s, INSIGHT_DAYS, sizeof(struct insight_day), insight_read_day, &out->v, &out->n);
}

static err insight_read_question(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct insight_question *r = row;

    return db_row(q, c, found, OUT(&r->question), OUT(&r->n), OUT(&r->unanswered), OUT(&r->most_ms), OUT(&r->last_at));
}

/* Each order has its index. */
err insight_store_questions(struct ctx *c, struct uuid base, enum insight_order order, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT query_text, n, unanswered, most_ms, last_at FROM rag_question WHERE account_id = ? AND knowledge_base_id = ?",
            IN(c->account_id), IN(base));
    if (order == INSIGHT_ASKED)
        sql_add(&s, " ORDER BY n DESC");
    if (order == INSIGHT_UNANSWERED)
        sql_add(&s, " AND unanswered > 0 ORDER BY unanswered DESC");
    if (order == INSIGHT_SLOW)
        sql_add(&s, " ORDER BY most_ms DESC");
    sql_add(&s, " LIMIT ?", IN((int64_t)INSIGHT_ROWS));
    return sql_rows(c, &s, INSIGHT_ROWS, sizeof(struct insight_question), insight_read_question, &out->v, &out->n);
}

static err insight_read_document(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct insight_document *d = row;

    return db_row(q, c, found, OUT(&d->id), OUT(&d->name), OUT(&d->created_at));
}

err insight_store_never_found(struct ctx *c, struct uuids spaces, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT d.id, n.title, n.created_at FROM document d JOIN node n ON n.account_id = d.account_id AND n.id = d.id LEFT JOIN "
                "document_found f ON f.account_id = d.account_id AND f.document_id = d.id WHERE d.account_id = ? AND d.status = 'indexed' "
                "AND d.deleted_at IS NULL AND f.document_id IS NULL",
            IN(c->account_id));
    sql_add_in_uuids(&s, "d.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY d.id LIMIT ?", IN((int64_t)INSIGHT_ROWS));
    return sql_rows(c, &s, INSIGHT_ROWS, sizeof(struct insight_document), insight_read_document, &out->v, &out->n);
}
