/* SQL of grants. */
#include "grant_store.h"

#include "db.h"
#include "row.h"

err grant_store_lock(struct ctx *c, struct uuid space_id, struct uuid id, bool *found, struct grant *out)
{
    return row_one(c, &GRANT, found, out, "SELECT {*} FROM {table} WHERE account_id = ? AND space_id = ? AND id = ? FOR UPDATE",
                   IN(c->account_id), IN(space_id), IN(id));
}

err grant_store_lock_grantee(struct ctx *c, struct uuid space_id, enum grantee_kind kind, const char *grantee_id, bool *found,
                             struct grant *out)
{
    return row_one(c, &GRANT, found, out,
                   "SELECT {*} FROM {table} WHERE account_id = ? AND space_id = ? AND grantee_kind = ? AND grantee_id = ? FOR UPDATE",
                   IN(c->account_id), IN(space_id), IN(enumx_name(&grantee_kind_enumx, (int)kind)), IN(grantee_id));
}

err grant_store_list(struct ctx *c, struct uuid space_id, int64_t limit, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &GRANT, "SELECT {*} FROM {table} WHERE account_id = ? AND space_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
               IN(c->account_id), IN(space_id), IN(before), IN(limit + 1));
    return row_page(c, &GRANT, &s, limit, out);
}

err grant_store_count(struct ctx *c, struct uuid space_id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM space_grant WHERE account_id = ? AND space_id = ?", IN(c->account_id), IN(space_id)));
    return db_row(&q, c, &found, OUT(n));
}

err grant_store_delete_grantee(struct ctx *c, enum grantee_kind kind, const char *grantee_id)
{
    return db_exec(c, NULL, "DELETE FROM space_grant WHERE account_id = ? AND grantee_kind = ? AND grantee_id = ?",
                   IN(c->account_id), IN(enumx_name(&grantee_kind_enumx, (int)kind)), IN(grantee_id));
}

static err grant_store_has(struct ctx *c, struct db_cursor *q, bool *yes)
{
    int one;

    return db_row(q, c, yes, OUT(&one));
}

err grant_store_has_grantee(struct ctx *c, enum grantee_kind kind, const char *grantee_id, bool *yes)
{
    scoped_cursor q = {0};
    struct uuid id, built_in = {0};

    *yes = false;
    if (kind == GRANTEE_ROLE) {
        TRY(db_query(c, &q, "SELECT 1 FROM role WHERE account_id IN (?, ?) AND name = ? LIMIT 1", IN(built_in), IN(c->account_id),
                     IN(grantee_id)));
        return grant_store_has(c, &q, yes);
    }
    if (!uuid_parse(grantee_id, &id))
        return ERR_OK;
    if (kind == GRANTEE_USER)
        TRY(db_query(c, &q, "SELECT 1 FROM user WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    else if (kind == GRANTEE_AGENT)
        TRY(db_query(c, &q, "SELECT 1 FROM agent WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    else
        TRY(db_query(c, &q, "SELECT 1 FROM team WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return grant_store_has(c, &q, yes);
}

/* Rows that mean the caller now. */
#define OF_CALLER \
    "(expires_at IS NULL OR expires_at > ?) AND (" \
    "(grantee_kind = ? AND grantee_id = ?) OR (grantee_kind = 'role' AND grantee_id = ?) OR grantee_kind = 'everyone' " \
    "OR (grantee_kind = 'team' AND grantee_id IN (SELECT CAST(team_id AS CHAR CHARACTER SET ascii) FROM team_member " \
    "WHERE account_id = ? AND agent_id = ?)))"

err grant_store_level(struct ctx *c, struct uuid space_id, enum access_level *level)
{
    const char *kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), *id = arena_strdup(c->arena, UUID_STR(c->who->id));
    scoped_cursor q = {0};
    bool found;
    int l = ACCESS_NONE;

    TRY(db_query(c, &q,
                 "SELECT MAX(CASE level WHEN 'manage' THEN 3 WHEN 'write' THEN 2 ELSE 1 END) FROM space_grant "
                 "WHERE account_id = ? AND space_id = ? AND NOT (grantee_kind = 'everyone' AND EXISTS (SELECT 1 FROM space d WHERE "
                 "d.account_id = ? AND d.id = ? AND d.kind = 'domain')) AND " OF_CALLER,
                 IN(c->account_id), IN(space_id), IN(c->account_id), IN(space_id), IN(c->now), IN(kind), IN(id),
                 IN(c->who->role ? c->who->role : ""), IN(c->account_id), IN(c->who->id)));
    TRY(db_row(&q, c, &found, OUT_OPT(&l)));
    *level = (enum access_level)l;
    return ERR_OK;
}

/* Of spaces for which that holds: those that the caller owns, or may manage by a row. gone takes one `?`, which is now. */
#define GONE(gone) \
    "SELECT id FROM space WHERE account_id = ? AND owner_agent_id = ? AND " gone " UNION " \
    "SELECT space_id FROM space_grant WHERE account_id = ? AND level = 'manage' AND " OF_CALLER \
    " AND space_id IN (SELECT id FROM space WHERE account_id = ? AND " gone ") LIMIT ?"
#define GONE_IN \
    IN(c->account_id), IN(c->who->id), IN(c->now), IN(c->account_id), IN(c->now), IN(kind), IN(id), \
        IN(c->who->role ? c->who->role : ""), IN(c->account_id), IN(c->who->id), IN(c->account_id), IN(c->now), IN((int64_t)max)

err grant_store_deleted(struct ctx *c, struct uuid *ids, size_t max, size_t *n)
{
    const char *kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), *id = arena_strdup(c->arena, UUID_STR(c->who->id));
    scoped_cursor q = {0};

    TRY(db_query(c, &q, GONE("deleted_at <= ?"), GONE_IN));
    return db_ids(c, &q, ids, max, n);
}

err grant_store_expired(struct ctx *c, struct uuid *ids, size_t max, size_t *n)
{
    const char *kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), *id = arena_strdup(c->arena, UUID_STR(c->who->id));
    scoped_cursor q = {0};

    TRY(db_query(c, &q, GONE("deleted_at IS NULL AND expires_at <= ?"), GONE_IN));
    return db_ids(c, &q, ids, max, n);
}
