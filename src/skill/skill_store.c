/* SQL of skills. */
#include "skill_store.h"

#include "like.h"
#include "row.h"

#define CATEGORIES_MAX 1000

err skill_store_get(struct ctx *c, struct uuid id, bool *found, struct skill *out)
{
    return row_one(c, &SKILL, found, out, "SELECT {*} FROM {from} WHERE k.account_id = ? AND k.id = ? AND n.forgotten_at IS NULL",
        IN(c->account_id), IN(id));
}

err skill_store_lock(struct ctx *c, struct uuid id, bool *found, struct skill *out)
{
    return row_one(c, &SKILL, found, out, "SELECT {*} FROM {from} WHERE k.account_id = ? AND k.id = ? AND n.forgotten_at IS NULL FOR "
        "UPDATE",
        IN(c->account_id), IN(id));
}

err skill_store_by_slug(struct ctx *c, const char *slug, struct uuids spaces, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.id FROM skill k JOIN node n ON n.account_id = k.account_id AND n.id = k.id WHERE k.account_id = ? AND k.slug = ?"
        " AND n.forgotten_at IS NULL", IN(c->account_id), IN(slug));
    sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY k.id DESC LIMIT 1");
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, found, OUT(id));
}

static void skill_store_filter(struct ctx *c, struct sql *s, const struct skill_filter *f)
{
    if (f->status >= 0)
        sql_add(s, " AND n.status = ?", IN(enumx_name(&skill_status_enumx, f->status)));
    if (f->enabled >= 0)
        sql_add(s, " AND k.is_enabled = ?", IN(f->enabled > 0));
    if (f->category)
        sql_add(s, " AND k.category = ?", IN(f->category));
    if (f->tag)
        sql_add(s, " AND JSON_CONTAINS(n.attrs, ?, '$.tags')", IN(json_text(c->arena, json_str(c->arena, f->tag))));
    if (f->search)
        sql_add(s, " AND (n.title COLLATE utf8mb4_unicode_ci LIKE ? OR k.description COLLATE utf8mb4_unicode_ci LIKE ?)",
            IN(like_part(c->arena, f->search)), IN(like_part(c->arena, f->search)));
    if (!uuid_is_nil(f->agent_id))
        sql_add(s, " AND EXISTS (SELECT 1 FROM edge e WHERE e.account_id = k.account_id AND e.source_id = ? AND e.target_id = k.id "
            "AND e.relation = 'has_skill' AND e.retired_at IS NULL)", IN(f->agent_id));
}

/* Orders by something else than the id have one page: a cursor is an id. */
static void skill_store_order(struct sql *s, const struct skill_filter *f)
{
    switch (f->sort) {
    case SKILL_BY_NAME: sql_add(s, " ORDER BY n.title, k.id DESC"); break;
    case SKILL_BY_USAGE: sql_add(s, " ORDER BY k.usage_count DESC, k.id DESC"); break;
    case SKILL_BY_EFFECTIVENESS: sql_add(s, " ORDER BY k.effectiveness DESC, k.id DESC"); break;
    case SKILL_BY_NEWEST: sql_add(s, " ORDER BY k.id DESC"); break;
    }
}

err skill_store_list(struct ctx *c, const struct skill_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL, "SELECT {*} FROM {from} WHERE k.account_id = ? AND k.id < ? AND n.forgotten_at IS NULL",
        IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    skill_store_filter(c, &s, f);
    skill_store_order(&s, f);
    sql_add(&s, " LIMIT ?", IN(f->limit + 1));
    TRY(row_page(c, &SKILL, &s, f->limit, out));
    if (f->sort != SKILL_BY_NEWEST)
        out->next_cursor = NULL;
    return ERR_OK;
}

err skill_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct uuids spaces, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL, "SELECT {*} FROM {from} WHERE k.account_id = ? AND n.forgotten_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "k.id", ids, n);
    sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    return row_all(c, &SKILL, &s, n, out);
}

err skill_store_count(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM skill WHERE account_id = ?", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

static err skill_store_read_category(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_category_row *r = row;

    return db_row(q, c, found, OUT(&r->name), OUT(&r->skills));
}

err skill_store_categories(struct ctx *c, struct uuids spaces, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.category, COUNT(*) FROM skill k JOIN node n ON n.account_id = k.account_id AND n.id = k.id "
        "WHERE k.account_id = ? AND n.status = 'active' AND n.forgotten_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    sql_add(&s, " GROUP BY k.category ORDER BY k.category");
    TRY(sql_rows(c, &s, CATEGORIES_MAX, sizeof(struct skill_category_row), skill_store_read_category, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err skill_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM skill WHERE account_id > ? ORDER BY account_id LIMIT ?", IN(above),
        IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
