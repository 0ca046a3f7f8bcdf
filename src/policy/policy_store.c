/* SQL of policies. */
#include "policy_store.h"

#include "like.h"
#include "row.h"

#define SUGGEST_FROM 3 /* facts on a topic */

err policy_store_get(struct ctx *c, struct uuid id, bool *found, struct policy *out)
{
    return row_one(c, &POLICY, found, out, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.id = ? AND n.forgotten_at IS NULL",
                   IN(c->account_id), IN(id));
}

err policy_store_lock(struct ctx *c, struct uuid id, bool *found, struct policy *out)
{
    return row_one(c, &POLICY, found, out,
                   "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.id = ? AND n.forgotten_at IS NULL FOR UPDATE", IN(c->account_id),
                   IN(id));
}

err policy_store_list(struct ctx *c, const struct policy_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &POLICY, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.id < ? AND n.forgotten_at IS NULL",
               IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "p.space_id", spaces.v, spaces.n);
    if (!f->history)
        sql_add(&s, " AND n.status = 'active'");
    if (f->active >= 0)
        sql_add(&s, " AND p.active = ?", IN(f->active > 0));
    if (f->q)
        sql_add(&s, " AND n.body COLLATE utf8mb4_unicode_ci LIKE ?", IN(like_part(c->arena, f->q)));
    if (f->stale)
        sql_add(&s, " AND p.source_count > (SELECT COUNT(*) FROM edge e JOIN node x ON x.account_id = e.account_id AND x.id = e.target_id "
                    "WHERE e.account_id = p.account_id AND e.source_id = p.id AND e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL AND "
                    "x.status = 'active' AND x.forgotten_at IS NULL)");
    sql_add(&s, " ORDER BY p.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &POLICY, &s, f->limit, out);
}

err policy_store_count(struct ctx *c, struct uuid space_id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM policy WHERE account_id = ? AND space_id = ?", IN(c->account_id), IN(space_id)));
    return db_row(&q, c, &found, OUT(n));
}

err policy_store_active(struct ctx *c, struct uuids spaces, size_t max, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &POLICY, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.active AND n.status = 'active' AND "
                                      "n.forgotten_at IS NULL AND n.archived_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "p.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY p.always DESC, p.priority DESC, p.id LIMIT ?", IN((int64_t)max));
    return row_all(c, &POLICY, &s, max, out);
}

static err suggestion_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct policy_suggestion *s = row;

    return db_row(q, c, found, OUT(&s->domain), OUT(&s->topic), OUT(&s->facts));
}

err policy_store_suggestions(struct ctx *c, struct uuids spaces, size_t max, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT sp.slug, n.title, COUNT(*) FROM node n JOIN space sp ON sp.account_id = n.account_id AND sp.id = n.space_id "
                "WHERE n.account_id = ? AND n.kind = 'fact' AND n.status = 'active' AND n.forgotten_at IS NULL AND NOT EXISTS (SELECT 1 "
                "FROM edge e JOIN node x ON x.account_id = e.account_id AND x.id = e.target_id WHERE e.account_id = n.account_id AND "
                "e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL AND x.space_id = n.space_id AND x.title = n.title AND e.source_id IN "
                "(SELECT p.id FROM policy p WHERE p.account_id = n.account_id AND p.space_id = n.space_id AND p.active)) AND "
                "sp.slug NOT IN "
                "('decisions', 'ticket-outcomes', 'pr-reviews', 'review-suppressions', 'review-guidelines', 'orchestration')",
            IN(c->account_id));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " GROUP BY sp.slug, n.title HAVING COUNT(*) >= ? ORDER BY COUNT(*) DESC, sp.slug, n.title LIMIT ?",
            IN((int64_t)SUGGEST_FROM), IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(struct policy_suggestion), suggestion_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}
