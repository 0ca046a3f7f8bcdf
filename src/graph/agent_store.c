/* SQL of agents, the parts they play and their keys. */
#include "agent_store.h"
#include "db.h"
#include "like.h"
#include "limit.h"

#define COLUMNS \
    "id, slug, name, kind, description, role, parent_id, status, trust, version, created_at, updated_at"

static err read_row(struct ctx *c, struct db_cursor *q, bool *found, struct agent *a)
{
    const char *status;
    int s = 0;

    TRY(db_row(q, c, found, OUT(&a->id), OUT(&a->slug), OUT(&a->name), OUT(&a->kind), OUT_OPT(&a->description),
               OUT(&a->role), OUT_OPT(&a->parent_id), OUT(&status), OUT(&a->trust), OUT(&a->version),
               OUT(&a->created_at), OUT(&a->updated_at)));
    if (*found && !enumx_parse(&agent_status_enumx, status, &s))
        return fail(c, ERR_INTERNAL, "agent %s has status '%s'", UUID_STR(a->id), status);
    a->status = (enum agent_status)s;
    return ERR_OK;
}

static const char *status_name(const struct agent *a)
{
    return enumx_name(&agent_status_enumx, (int)a->status);
}

err agent_store_insert(struct ctx *c, const struct agent *a)
{
    return db_exec(c, NULL,
        "INSERT INTO agent (account_id, id, slug, name, kind, description, role, parent_id, status, trust, version,"
        " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        IN(c->account_id), IN(a->id), IN(a->slug), IN(a->name), IN(a->kind), IN_OPT(a->description), IN(a->role),
        IN_OPT(a->parent_id), IN(status_name(a)), IN(a->trust), IN(a->version), IN(a->created_at), IN(a->updated_at));
}

err agent_store_get(struct ctx *c, struct uuid id, bool *found, struct agent *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM agent WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return read_row(c, &q, found, out);
}

err agent_store_by_slug(struct ctx *c, const char *slug, bool *found, struct agent *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM agent WHERE account_id = ? AND slug = ?", IN(c->account_id), IN(slug)));
    return read_row(c, &q, found, out);
}

err agent_store_list(struct ctx *c, const struct agent_filter *f, struct uuid before, struct agent **rows, size_t *n)
{
    struct agent *list = ARENA_ARRAY(c->arena, struct agent, (size_t)f->limit + 1);
    const char *part = f->q ? like_part(c->arena, f->q) : NULL;
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM agent WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->status >= 0)
        sql_add(&s, " AND status = ?", IN(enumx_name(&agent_status_enumx, f->status)));
    if (f->kind)
        sql_add(&s, " AND kind = ?", IN(f->kind));
    if (part)
        sql_add(&s, " AND (name COLLATE utf8mb4_unicode_ci LIKE ? OR CONVERT(slug USING utf8mb4) LIKE ?)", IN(part), IN(part));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (*n = 0; (int64_t)*n <= f->limit; ++*n) {
        TRY(read_row(c, &q, &found, &list[*n]));
        if (!found)
            break;
    }
    *rows = list;
    return ERR_OK;
}

err agent_store_update(struct ctx *c, const struct agent *a, int64_t *changed)
{
    return db_exec(c, changed,
        "UPDATE agent SET name = ?, kind = ?, description = ?, role = ?, parent_id = ?, status = ?, trust = ?,"
        " updated_at = ?, version = version + 1 WHERE account_id = ? AND id = ? AND version = ?",
        IN(a->name), IN(a->kind), IN_OPT(a->description), IN(a->role), IN_OPT(a->parent_id), IN(status_name(a)),
        IN(a->trust), IN(c->now), IN(c->account_id), IN(a->id), IN(a->version));
}

/* ---- parts */

err agent_store_roles(struct ctx *c, struct uuid id, struct strs *out)
{
    scoped_cursor q = {0};
    bool found = true;

    *out = (struct strs){ARENA_ARRAY(c->arena, const char *, LIMIT_ROLES), 0};
    TRY(db_query(c, &q, "SELECT role FROM agent_role WHERE account_id = ? AND agent_id = ? ORDER BY role",
                 IN(c->account_id), IN(id)));
    while (out->n < LIMIT_ROLES) {
        TRY(db_row(&q, c, &found, OUT(&out->v[out->n])));
        if (!found)
            break;
        out->n++;
    }
    return ERR_OK;
}

err agent_store_set_roles(struct ctx *c, struct uuid id, struct strs roles)
{
    struct sql s;

    TRY(db_exec(c, NULL, "DELETE FROM agent_role WHERE account_id = ? AND agent_id = ?", IN(c->account_id), IN(id)));
    if (!roles.n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO agent_role (account_id, agent_id, role, created_at) VALUES ");
    for (size_t i = 0; i < roles.n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?)", IN(c->account_id), IN(id), IN(roles.v[i]), IN(c->now));
    }
    return sql_exec(c, NULL, &s);
}
