/* SQL of teams and their members. */
#include "db.h"
#include "like.h"
#include "team_store.h"

#define COLUMNS \
    "t.id, t.slug, t.name, t.description," \
    " (SELECT COUNT(*) FROM team_member m WHERE m.account_id = t.account_id AND m.team_id = t.id)," \
    " t.version, t.created_at, t.updated_at"

static err read_row(struct ctx *c, struct db_cursor *q, bool *found, struct team *t)
{
    return db_row(q, c, found, OUT(&t->id), OUT(&t->slug), OUT(&t->name), OUT_OPT(&t->description), OUT(&t->members),
                  OUT(&t->version), OUT(&t->created_at), OUT(&t->updated_at));
}

err team_store_insert(struct ctx *c, const struct team *t)
{
    return db_exec(c, NULL,
        "INSERT INTO team (account_id, id, slug, name, description, version, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        IN(c->account_id), IN(t->id), IN(t->slug), IN(t->name), IN_OPT(t->description), IN(t->version),
        IN(t->created_at), IN(t->updated_at));
}

err team_store_get(struct ctx *c, struct uuid id, bool *found, struct team *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM team t WHERE t.account_id = ? AND t.id = ?", IN(c->account_id),
                 IN(id)));
    return read_row(c, &q, found, out);
}

err team_store_list(struct ctx *c, const char *q_text, int64_t limit, struct uuid before, struct team **rows, size_t *n)
{
    struct team *list = ARENA_ARRAY(c->arena, struct team, (size_t)limit + 1);
    const char *part = q_text ? like_part(c->arena, q_text) : NULL;
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM team t WHERE t.account_id = ? AND t.id < ?", IN(c->account_id), IN(before));
    if (part)
        sql_add(&s, " AND (t.name COLLATE utf8mb4_unicode_ci LIKE ? OR CONVERT(t.slug USING utf8mb4) LIKE ?)", IN(part), IN(part));
    sql_add(&s, " ORDER BY t.id DESC LIMIT ?", IN(limit + 1));
    TRY(sql_query(c, &q, &s));
    for (*n = 0; (int64_t)*n <= limit; ++*n) {
        TRY(read_row(c, &q, &found, &list[*n]));
        if (!found)
            break;
    }
    *rows = list;
    return ERR_OK;
}

err team_store_update(struct ctx *c, const struct team *t, int64_t *changed)
{
    return db_exec(c, changed,
        "UPDATE team SET name = ?, description = ?, updated_at = ?, version = version + 1"
        " WHERE account_id = ? AND id = ? AND version = ?",
        IN(t->name), IN_OPT(t->description), IN(c->now), IN(c->account_id), IN(t->id), IN(t->version));
}

err team_store_delete(struct ctx *c, struct uuid id, int64_t version, int64_t *changed)
{
    return db_exec(c, changed, "DELETE FROM team WHERE account_id = ? AND id = ? AND version = ?", IN(c->account_id),
                   IN(id), IN(version));
}

err team_store_retire_namespace(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL,
        "UPDATE space SET slug = CONCAT(slug, '@', id), status = 'archived', archived_at = COALESCE(archived_at, ?),"
        " updated_at = ?, version = version + 1 WHERE account_id = ? AND team_id = ? AND kind = 'namespace'",
        IN(c->now), IN(c->now), IN(c->account_id), IN(id));
}

/* ---- members */

#define MEMBER_COLUMNS "m.agent_id, g.slug, g.name, m.role, m.is_lead, m.created_at"
#define MEMBER_TABLES " FROM team_member m JOIN agent g ON g.account_id = m.account_id AND g.id = m.agent_id"

static err read_member(struct ctx *c, struct db_cursor *q, bool *found, struct team_member *m)
{
    return db_row(q, c, found, OUT(&m->agent_id), OUT(&m->slug), OUT(&m->name), OUT(&m->role), OUT(&m->is_lead),
                  OUT(&m->created_at));
}

err team_store_members(struct ctx *c, struct uuid team_id, int64_t limit, struct uuid before, struct team_member **rows,
                       size_t *n)
{
    struct team_member *list = ARENA_ARRAY(c->arena, struct team_member, (size_t)limit + 1);
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
        "SELECT " MEMBER_COLUMNS MEMBER_TABLES
        " WHERE m.account_id = ? AND m.team_id = ? AND m.agent_id < ? ORDER BY m.agent_id DESC LIMIT ?",
        IN(c->account_id), IN(team_id), IN(before), IN(limit + 1)));
    for (*n = 0; (int64_t)*n <= limit; ++*n) {
        TRY(read_member(c, &q, &found, &list[*n]));
        if (!found)
            break;
    }
    *rows = list;
    return ERR_OK;
}

err team_store_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, bool *found, struct team_member *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "SELECT " MEMBER_COLUMNS MEMBER_TABLES " WHERE m.account_id = ? AND m.team_id = ? AND m.agent_id = ?",
        IN(c->account_id), IN(team_id), IN(agent_id)));
    return read_member(c, &q, found, out);
}

err team_store_put_member(struct ctx *c, struct uuid team_id, const struct team_member *m)
{
    return db_exec(c, NULL,
        "INSERT INTO team_member (account_id, team_id, agent_id, role, is_lead, created_at) VALUES (?, ?, ?, ?, ?, ?)"
        " ON DUPLICATE KEY UPDATE role = VALUES(role), is_lead = VALUES(is_lead)",
        IN(c->account_id), IN(team_id), IN(m->agent_id), IN(m->role), IN(m->is_lead), IN(m->created_at));
}

err team_store_remove_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, int64_t *changed)
{
    return db_exec(c, changed, "DELETE FROM team_member WHERE account_id = ? AND team_id = ? AND agent_id = ?",
                   IN(c->account_id), IN(team_id), IN(agent_id));
}
