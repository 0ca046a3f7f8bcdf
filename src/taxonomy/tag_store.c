/* SQL of tags. */
#include "tag_store.h"

#include "access.h"
#include "like.h"
#include "row.h"

#define CATEGORIES_SHOWN 900
#define SELECT_TAG "SELECT {*} FROM {from} WHERE t.account_id = ? AND n.forgotten_at IS NULL"

err tag_store_get(struct ctx *c, struct uuid id, bool lock, bool *found, struct tag *out)
{
    if (lock)
        return row_one(c, &TAG, found, out, SELECT_TAG " AND t.id = ? FOR UPDATE", IN(c->account_id), IN(id));
    return row_one(c, &TAG, found, out, SELECT_TAG " AND t.id = ?", IN(c->account_id), IN(id));
}

err tag_store_list(struct ctx *c, const struct tag_filter *f, bool reviewer, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &TAG, SELECT_TAG " AND t.id < ?", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "t.space_id", c->access->readable, c->access->n);
    if (!reviewer)
        sql_add(&s, " AND t.tier <> 'transitional'");
    if (f->status >= 0)
        sql_add(&s, " AND n.status = ?", IN(enumx_name(&tag_status_enumx, f->status)));
    else if (reviewer)
        sql_add(&s, " AND n.status IN ('active', 'pending_review')");
    else
        sql_add(&s, " AND n.status = 'active'");
    if (f->tier >= 0)
        sql_add(&s, " AND t.tier = ?", IN(enumx_name(&tag_tier_enumx, f->tier)));
    if (f->tag_type >= 0)
        sql_add(&s, " AND t.tag_type = ?", IN(enumx_name(&tag_type_enumx, f->tag_type)));
    if (f->q)
        sql_add(&s, " AND t.slug LIKE ?", IN(like_part(c->arena, f->q)));
    sql_add(&s, " ORDER BY t.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &TAG, &s, f->limit, out);
}

err tag_store_count(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM tag WHERE account_id = ?", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

err tag_store_is_open(struct ctx *c, struct uuid space_id, bool *open)
{
    scoped_cursor q = {0};
    int64_t n = 0;
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM space_grant WHERE account_id = ? AND space_id = ? AND grantee_kind = 'everyone' AND "
        "(expires_at IS NULL OR expires_at > ?)", IN(c->account_id), IN(space_id), IN(c->now)));
    TRY(db_row(&q, c, &found, OUT(&n)));
    *open = n > 0;
    return ERR_OK;
}

err tag_store_named(struct ctx *c, const struct uuid spaces[2], enum tag_type type, struct strs slugs, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &TAG, SELECT_TAG " AND t.tag_type = ? AND t.tier <> 'transitional' AND (0", IN(c->account_id),
        IN(enumx_name(&tag_type_enumx, (int)type)));
    for (size_t i = 0; i < slugs.n; i++)
        sql_add(&s, " OR t.slug = ? OR JSON_CONTAINS(t.aliases, JSON_QUOTE(?))", IN(slugs.v[i]), IN(slugs.v[i]));
    sql_add(&s, ")");
    sql_add_in_uuids(&s, "t.space_id", spaces, 2);
    return row_all(c, &TAG, &s, 8 * slugs.n + 8, out);
}

err tag_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &TAG, SELECT_TAG, IN(c->account_id));
    sql_add_in_uuids(&s, "t.id", ids, n);
    return row_all(c, &TAG, &s, n, out);
}

err tag_store_categories(struct ctx *c, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &TAG, SELECT_TAG " AND t.tag_type = 'category' AND t.tier = 'universe' AND n.status = 'active' ORDER BY "
        "t.slug LIMIT ?", IN(c->account_id), IN((int64_t)CATEGORIES_SHOWN));
    return row_all(c, &TAG, &s, CATEGORIES_SHOWN, out);
}

err tag_store_pending(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &TAG, SELECT_TAG " AND t.tier = 'universe' AND n.status = 'pending_review' AND t.id > ? ORDER BY t.id LIMIT ?",
        IN(c->account_id), IN(behind), IN(limit));
    return row_all(c, &TAG, &s, (size_t)limit, out);
}

err tag_store_use(struct ctx *c, const struct uuid *ids, size_t n, bool holders)
{
    struct sql s;

    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE tag SET usage_count = usage_count + ?, holder_count = holder_count + ?, updated_at = ? WHERE account_id = ?",
        IN((int64_t)!holders), IN((int64_t)holders), IN(c->now), IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

err tag_store_shared(struct ctx *c, struct uuid taxonomy, enum tag_type type, const char *slug, bool *found, struct tag *out)
{
    return row_one(c, &TAG, found, out, SELECT_TAG " AND t.space_id = ? AND t.tag_type = ? AND t.slug = ?", IN(c->account_id),
        IN(taxonomy), IN(enumx_name(&tag_type_enumx, (int)type)), IN(slug));
}

err tag_store_set_tier(struct ctx *c, struct uuid id, enum tag_tier tier)
{
    return db_exec(c, NULL, "UPDATE tag SET tier = ?, version = version + 1, updated_at = ? WHERE account_id = ? AND id = ?",
        IN(enumx_name(&tag_tier_enumx, (int)tier)), IN(c->now), IN(c->account_id), IN(id));
}
