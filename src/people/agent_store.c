/* SQL of agents and their work roles. */
#include "agent_store.h"

#include "like.h"
#include "limit.h"
#include "row.h"

err agent_store_get(struct ctx *c, struct uuid id, bool *found, struct agent *out)
{
    return row_get(c, &AGENT, id, found, out);
}

err agent_store_by_slug(struct ctx *c, const char *slug, bool *found, struct agent *out)
{
    return row_one(c, &AGENT, found, out, "SELECT {*} FROM agent WHERE account_id = ? AND slug = ?", IN(c->account_id), IN(slug));
}

err agent_store_list(struct ctx *c, const struct agent_filter *f, struct uuid before, struct page *out)
{
    const char *part = f->q ? like_part(c->arena, f->q) : NULL;
    struct sql s;

    row_select(&s, c->arena, &AGENT, "SELECT {*} FROM agent WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->status >= 0)
        sql_add(&s, " AND status = ?", IN(enumx_name(&agent_status_enumx, f->status)));
    if (f->kind)
        sql_add(&s, " AND kind = ?", IN(f->kind));
    if (part)
        sql_add(&s, " AND (name COLLATE utf8mb4_unicode_ci LIKE ? OR CONVERT(slug USING utf8mb4) LIKE ?)", IN(part), IN(part));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &AGENT, &s, f->limit, out);
}

/* ---- work roles */

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
