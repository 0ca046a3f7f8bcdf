/* SQL of daily summaries. Each count goes through an index on when rows changed. */
#include "daily_summary_store.h"

#include "db.h"

#define NAMES_MAX 64
/* Summaries themselves are no event of their day. */
#define NO_SUMMARY \
    " AND NOT EXISTS (SELECT 1 FROM page s WHERE s.account_id = n.account_id AND s.id = n.id AND s.slug LIKE 'daily-summary-%')"

static err day_read_count(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct day_count *r = row;

    return db_row(q, c, found, OUT(&r->name), OUT(&r->n));
}

static err day_counts(struct ctx *c, struct sql *s, struct list *out)
{
    return sql_rows(c, s, NAMES_MAX, sizeof(struct day_count), day_read_count, &out->v, &out->n);
}

err daily_store_nodes(struct ctx *c, const struct day_span *d, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.kind, COUNT(*) FROM node n WHERE n.account_id = ? AND n.updated_at >= ? AND n.created_at >= ? AND "
        "n.created_at < ? "
                "AND n.status <> 'version'" NO_SUMMARY " GROUP BY n.kind ORDER BY n.kind",
            IN(c->account_id), IN(d->from), IN(d->from), IN(d->to));
    return day_counts(c, &s, out);
}

err daily_store_learnings(struct ctx *c, const struct day_span *d, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.status, COUNT(*) FROM node n WHERE n.account_id = ? AND n.updated_at >= ? AND n.updated_at < ? AND n.kind "
        "= 'learning' "
                "AND n.status <> 'version' GROUP BY n.status ORDER BY n.status",
            IN(c->account_id), IN(d->from), IN(d->to));
    return day_counts(c, &s, out);
}

err daily_store_escalations(struct ctx *c, const struct day_span *d, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT status, COUNT(*) FROM escalation WHERE account_id = ? AND created_at >= ? AND created_at < ? GROUP BY "
        "status ORDER BY status",
            IN(c->account_id), IN(d->from), IN(d->to));
    return day_counts(c, &s, out);
}

err daily_store_totals(struct ctx *c, const struct day_span *d, struct day_totals *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT (SELECT COUNT(*) FROM edge WHERE account_id = ? AND updated_at >= ? AND recorded_at >= ? AND recorded_at < ?), "
                 "(SELECT COUNT(*) FROM node WHERE account_id = ? AND status NOT IN ('version','forgotten')), "
                 "(SELECT COUNT(*) FROM edge WHERE account_id = ? AND retired_at IS NULL), "
                 "(SELECT COUNT(*) FROM node WHERE account_id = ? AND updated_at >= ? AND archived_at >= ? AND archived_at < ?), "
                 "(SELECT COUNT(*) FROM node WHERE account_id = ? AND updated_at >= ? AND forgotten_at >= ? AND forgotten_at < ?)",
                 IN(c->account_id), IN(d->from), IN(d->from), IN(d->to), IN(c->account_id), IN(c->account_id), IN(c->account_id),
                 IN(d->from), IN(d->from), IN(d->to), IN(c->account_id), IN(d->from), IN(d->from), IN(d->to)));
    return db_row(&q, c, &found, OUT(&out->new_edges), OUT(&out->nodes), OUT(&out->edges), OUT(&out->archived), OUT(&out->forgotten));
}

static err day_read_title(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((const char **)row));
}

#define CHANGED_PAGES \
    " FROM node n JOIN page p ON p.account_id = n.account_id AND p.id = n.id AND p.deleted_at IS NULL WHERE n.account_id = ? AND " \
        "n.updated_at >= ? " \
    "AND n.updated_at < ? AND n.status <> 'version'" NO_SUMMARY

err daily_store_pages(struct ctx *c, const struct day_span *d, size_t max, struct strs *titles, int64_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    void *rows;
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*)" CHANGED_PAGES, IN(c->account_id), IN(d->from), IN(d->to)));
    TRY(db_row(&q, c, &found, OUT(n)));
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.title" CHANGED_PAGES " AND EXISTS (SELECT 1 FROM space_grant g WHERE g.account_id = n.account_id AND "
                "g.space_id = n.space_id AND g.grantee_kind = 'everyone' AND (g.expires_at IS NULL OR g.expires_at > ?)) ORDER BY "
                    "n.title LIMIT ?",
            IN(c->account_id), IN(d->from), IN(d->to), IN(c->now), IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(const char *), day_read_title, &rows, &titles->n));
    titles->v = rows;
    return ERR_OK;
}
