/* SQL of spaces. */
#include "space_store.h"

#include "db.h"
#include "like.h"
#include "space_impl.h"

#define COLUMNS \
    "id, kind, slug, name, description, parent_id, owner_agent_id, team_id, settings, status, version, created_at, updated_at, " \
    "archived_at, expires_at, deleted_at"

static err read_row(struct ctx *c, struct db_cursor *q, bool *found, struct space *s)
{
    const char *kind = NULL, *status = NULL, *settings = NULL;
    int k, t;

    TRY(db_row(q, c, found, OUT(&s->id), OUT(&kind), OUT(&s->slug), OUT(&s->name), OUT_OPT(&s->description),
               OUT_OPT(&s->parent_id), OUT_OPT(&s->owner_agent_id), OUT_OPT(&s->team_id), OUT(&settings), OUT(&status),
               OUT(&s->version), OUT(&s->created_at), OUT(&s->updated_at), OUT_OPT(&s->archived_at), OUT_OPT(&s->expires_at),
               OUT_OPT(&s->deleted_at)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&space_kind_enumx, kind, &k) || !enumx_parse(&space_status_enumx, status, &t))
        return fail(c, ERR_INTERNAL, "space %s has kind '%s' and status '%s'", UUID_STR(s->id), kind, status);
    s->kind = (enum space_kind)k;
    s->status = (enum space_status)t;
    s->settings = json_raw(c->arena, settings);
    return ERR_OK;
}

static const char *kind_name(enum space_kind k)
{
    return enumx_name(&space_kind_enumx, (int)k);
}

static const char *status_name(enum space_status s)
{
    return enumx_name(&space_status_enumx, (int)s);
}

err space_store_insert(struct ctx *c, struct uuid account_id, const struct space *s)
{
    return db_exec(c, NULL, "INSERT INTO space (account_id, " COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                   IN(account_id), IN(s->id), IN(kind_name(s->kind)), IN(s->slug), IN(s->name), IN_OPT(s->description),
                   IN_OPT(s->parent_id), IN_OPT(s->owner_agent_id), IN_OPT(s->team_id), IN(json_text(c->arena, s->settings)),
                   IN(status_name(s->status)), IN(s->version), IN(s->created_at), IN(s->updated_at), IN_OPT(s->archived_at),
                   IN_OPT(s->expires_at), IN_OPT(s->deleted_at));
}

err space_store_update(struct ctx *c, const struct space *s, int64_t old_version, bool *done)
{
    int64_t changed;

    TRY(db_exec(c, &changed,
                "UPDATE space SET slug = ?, name = ?, description = ?, parent_id = ?, settings = ?, status = ?, version = ?, "
                "updated_at = ?, archived_at = ?, expires_at = ?, deleted_at = ? WHERE account_id = ? AND id = ? AND version = ?",
                IN(s->slug), IN(s->name), IN_OPT(s->description), IN_OPT(s->parent_id), IN(json_text(c->arena, s->settings)),
                IN(status_name(s->status)), IN(s->version), IN(s->updated_at), IN_OPT(s->archived_at), IN_OPT(s->expires_at),
                IN_OPT(s->deleted_at), IN(c->account_id), IN(s->id), IN(old_version)));
    *done = changed != 0;
    return ERR_OK;
}

err space_store_get(struct ctx *c, struct uuid id, bool *found, struct space *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM space WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return read_row(c, &q, found, out);
}

err space_store_lock(struct ctx *c, struct uuid id, bool *found, struct space *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM space WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(id)));
    return read_row(c, &q, found, out);
}

err space_store_by_slug(struct ctx *c, enum space_kind kind, const char *slug, bool *found, struct space *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM space WHERE account_id = ? AND kind = ? AND slug = ?", IN(c->account_id),
                 IN(kind_name(kind)), IN(slug)));
    return read_row(c, &q, found, out);
}

err space_store_list(struct ctx *c, const struct space_filter *f, const struct uuid *ids, size_t n_ids, struct uuid before,
                     struct space **rows, size_t *n)
{
    struct space *out = ARENA_ARRAY(c->arena, struct space, (size_t)f->limit + 2);
    scoped_cursor q = {0};
    struct sql s;
    bool found;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM space WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
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
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        TRY(read_row(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
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
