/* SQL of spaces. */
#include "space_store.h"

#include "db.h"
#include "like.h"
#include "row.h"
#include "space_impl.h"

err space_store_lock(struct ctx *c, struct uuid id, bool *found, struct space *out)
{
    return row_one(c, &SPACE, found, out, "SELECT {*} FROM space WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(id));
}

err space_store_by_slug(struct ctx *c, enum space_kind kind, const char *slug, bool *found, struct space *out)
{
    return row_one(c, &SPACE, found, out, "SELECT {*} FROM space WHERE account_id = ? AND kind = ? AND slug = ?", IN(c->account_id),
                   IN(enumx_name(&space_kind_enumx, (int)kind)), IN(slug));
}

err space_store_list(struct ctx *c, const struct space_filter *f, const struct uuid *ids, size_t n_ids, struct uuid before,
                     struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SPACE, "SELECT {*} FROM space WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (ids)
        sql_add_in_uuids(&s, "id", ids, n_ids);
    if (f->deleted)
        sql_add(&s, " AND deleted_at >= IF(kind = 'pool', ?, ?)", IN(space_restorable_since(c, SPACE_POOL)),
                IN(space_restorable_since(c, SPACE_NAMESPACE)));
    if (f->kind >= 0)
        sql_add(&s, " AND kind = ?", IN(enumx_name(&space_kind_enumx, f->kind)));
    if (f->status >= 0)
        sql_add(&s, " AND status = ?", IN(enumx_name(&space_status_enumx, f->status)));
    if (!str_empty(f->q))
        sql_add(&s, " AND (name COLLATE utf8mb4_general_ci LIKE ? OR slug LIKE ?)", IN(like_part(c->arena, f->q)),
                IN(like_part(c->arena, f->q)));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &SPACE, &s, f->limit, out);
}

err space_store_lock_tree(struct ctx *c)
{
    scoped_cursor q = {0};
    bool found;
    int one;

    TRY(db_query(c, &q, "SELECT 1 FROM account WHERE id = ? FOR UPDATE", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(&one));
}

err space_store_is_below(struct ctx *c, struct uuid id, struct uuid below, bool *yes)
{
    scoped_cursor q = {0};
    int one;

    TRY(db_query(c, &q,
                 "WITH RECURSIVE up (id, parent_id, depth) AS ("
                 "SELECT id, parent_id, 0 FROM space WHERE account_id = ? AND id = ? "
                 "UNION ALL SELECT s.id, s.parent_id, up.depth + 1 FROM up JOIN space s ON s.account_id = ? AND s.id = up.parent_id "
                 "WHERE up.depth < 100) SELECT 1 FROM up WHERE id = ? OR depth = 100 LIMIT 1",
                 IN(c->account_id), IN(below), IN(c->account_id), IN(id)));
    return db_row(&q, c, yes, OUT(&one));
}

err space_store_has_agent(struct ctx *c, struct uuid id, bool *yes)
{
    scoped_cursor q = {0};
    int one;

    TRY(db_query(c, &q, "SELECT 1 FROM agent WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return db_row(&q, c, yes, OUT(&one));
}

err space_store_has_team(struct ctx *c, struct uuid id, bool *yes)
{
    scoped_cursor q = {0};
    int one;

    TRY(db_query(c, &q, "SELECT 1 FROM team WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return db_row(&q, c, yes, OUT(&one));
}

err space_store_delete(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "DELETE FROM space WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id));
}
