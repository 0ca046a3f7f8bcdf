/* SQL of grants. */
#include "grant_store.h"

#include "db.h"

#define COLUMNS "id, space_id, grantee_kind, grantee_id, level, granted_by, created_at, expires_at, version"

static const char *kind_name(enum grantee_kind k)
{
    return enumx_name(&grantee_kind_enumx, (int)k);
}

static const char *level_name(enum access_level l)
{
    return enumx_name(&access_level_enumx, (int)l);
}

static err read_row(struct ctx *c, struct db_cursor *q, bool *found, struct grant *g)
{
    const char *kind = NULL, *level = NULL;
    int k, l;

    TRY(db_row(q, c, found, OUT(&g->id), OUT(&g->space_id), OUT(&kind), OUT(&g->grantee_id), OUT(&level), OUT_OPT(&g->granted_by),
               OUT(&g->created_at), OUT_OPT(&g->expires_at), OUT(&g->version)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&grantee_kind_enumx, kind, &k) || !enumx_parse(&access_level_enumx, level, &l))
        return fail(c, ERR_INTERNAL, "grant %s is for '%s' at '%s'", UUID_STR(g->id), kind, level);
    g->grantee_kind = (enum grantee_kind)k;
    g->level = (enum access_level)l;
    return ERR_OK;
}

#define INSERT "INSERT INTO space_grant (account_id, " COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?)"
#define VALUES(account, g) \
    IN(account), IN((g)->id), IN((g)->space_id), IN(kind_name((g)->grantee_kind)), IN((g)->grantee_id), \
        IN(level_name((g)->level)), IN_OPT((g)->granted_by), IN((g)->created_at), IN_OPT((g)->expires_at), IN((int64_t)1)

err grant_store_insert(struct ctx *c, struct uuid account_id, const struct grant *g)
{
    return db_exec(c, NULL, INSERT, VALUES(account_id, g));
}

err grant_store_lock(struct ctx *c, struct uuid space_id, struct uuid id, bool *found, struct grant *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM space_grant WHERE account_id = ? AND space_id = ? AND id = ? FOR UPDATE",
                 IN(c->account_id), IN(space_id), IN(id)));
    return read_row(c, &q, found, out);
}

err grant_store_lock_grantee(struct ctx *c, struct uuid space_id, enum grantee_kind kind, const char *grantee_id, bool *found,
                             struct grant *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM space_grant WHERE account_id = ? AND space_id = ? AND grantee_kind = ? "
                        "AND grantee_id = ? FOR UPDATE", IN(c->account_id), IN(space_id), IN(kind_name(kind)), IN(grantee_id)));
    return read_row(c, &q, found, out);
}

err grant_store_list(struct ctx *c, struct uuid space_id, int64_t limit, struct uuid before, struct grant **rows, size_t *n)
{
    struct grant *out = ARENA_ARRAY(c->arena, struct grant, (size_t)limit + 2);
    scoped_cursor q = {0};
    bool found;
    size_t k = 0;

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM space_grant WHERE account_id = ? AND space_id = ? AND id < ? "
                        "ORDER BY id DESC LIMIT ?", IN(c->account_id), IN(space_id), IN(before), IN(limit + 1)));
    for (;; k++) {
        TRY(read_row(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err grant_store_count(struct ctx *c, struct uuid space_id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM space_grant WHERE account_id = ? AND space_id = ?", IN(c->account_id), IN(space_id)));
    return db_row(&q, c, &found, OUT(n));
}

err grant_store_update(struct ctx *c, const struct grant *g, bool *done)
{
    int64_t changed;

    TRY(db_exec(c, &changed, "UPDATE space_grant SET level = ?, granted_by = ?, expires_at = ?, version = version + 1 "
                             "WHERE account_id = ? AND space_id = ? AND id = ? AND version = ?",
                IN(level_name(g->level)), IN_OPT(g->granted_by), IN_OPT(g->expires_at), IN(c->account_id), IN(g->space_id),
                IN(g->id), IN(g->version)));
    *done = changed != 0;
    return ERR_OK;
}

err grant_store_delete(struct ctx *c, struct uuid space_id, struct uuid id, bool *done)
{
    int64_t changed;

    TRY(db_exec(c, &changed, "DELETE FROM space_grant WHERE account_id = ? AND space_id = ? AND id = ?", IN(c->account_id),
                IN(space_id), IN(id)));
    *done = changed != 0;
    return ERR_OK;
}

err grant_store_delete_grantee(struct ctx *c, enum grantee_kind kind, const char *grantee_id)
{
    return db_exec(c, NULL, "DELETE FROM space_grant WHERE account_id = ? AND grantee_kind = ? AND grantee_id = ?",
                   IN(c->account_id), IN(kind_name(kind)), IN(grantee_id));
}

static err has(struct ctx *c, struct db_cursor *q, bool *yes)
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
        return has(c, &q, yes);
    }
    if (!uuid_parse(grantee_id, &id))
        return ERR_OK;
    if (kind == GRANTEE_USER)
        TRY(db_query(c, &q, "SELECT 1 FROM user WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    else if (kind == GRANTEE_AGENT)
        TRY(db_query(c, &q, "SELECT 1 FROM agent WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    else
        TRY(db_query(c, &q, "SELECT 1 FROM team WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return has(c, &q, yes);
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
                 "WHERE account_id = ? AND space_id = ? AND " OF_CALLER,
                 IN(c->account_id), IN(space_id), IN(c->now), IN(kind), IN(id), IN(c->who->role ? c->who->role : ""),
                 IN(c->account_id), IN(c->who->id)));
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
