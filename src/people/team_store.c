/* SQL of teams and their members. */
#include "team_store.h"

#include "like.h"
#include "row.h"

err team_store_list(struct ctx *c, const struct team_filter *f, struct uuid before, struct page *out)
{
    const char *part = f->q ? like_part(c->arena, f->q) : NULL;
    struct sql s;

    row_select(&s, c->arena, &TEAM, "SELECT {*} FROM {from} WHERE t.account_id = ? AND t.id < ?", IN(c->account_id), IN(before));
    if (part)
        sql_add(&s, " AND (t.name COLLATE utf8mb4_unicode_ci LIKE ? OR CONVERT(t.slug USING utf8mb4) LIKE ?)", IN(part), IN(part));
    sql_add(&s, " ORDER BY t.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &TEAM, &s, f->limit, out);
}

err team_store_retire_namespace(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL,
        "UPDATE space SET slug = CONCAT(slug, '@', id), status = 'archived', archived_at = COALESCE(archived_at, ?),"
        " updated_at = ?, version = version + 1 WHERE account_id = ? AND team_id = ? AND kind = 'namespace'",
        IN(c->now), IN(c->now), IN(c->account_id), IN(id));
}

/* ---- members */

err team_store_members(struct ctx *c, const struct team_member_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &TEAM_MEMBER,
               "SELECT {*} FROM {from} WHERE m.account_id = ? AND m.team_id = ? AND m.agent_id < ? ORDER BY m.agent_id DESC LIMIT ?",
               IN(c->account_id), IN(f->id), IN(before), IN(f->limit + 1));
    return row_page(c, &TEAM_MEMBER, &s, f->limit, out);
}

err team_store_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, bool *found, struct team_member *out)
{
    return row_one(c, &TEAM_MEMBER, found, out, "SELECT {*} FROM {from} WHERE m.account_id = ? AND m.team_id = ? AND m.agent_id = ?",
                   IN(c->account_id), IN(team_id), IN(agent_id));
}

err team_store_put_member(struct ctx *c, const struct team_member *m)
{
    return db_exec(c, NULL,
        "INSERT INTO team_member (account_id, team_id, agent_id, role, is_lead, created_at) VALUES (?, ?, ?, ?, ?, ?)"
        " ON DUPLICATE KEY UPDATE role = VALUES(role), is_lead = VALUES(is_lead)",
        IN(c->account_id), IN(m->team_id), IN(m->agent_id), IN(m->role), IN(m->is_lead), IN(m->created_at));
}

err team_store_remove_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, int64_t *changed)
{
    return db_exec(c, changed, "DELETE FROM team_member WHERE account_id = ? AND team_id = ? AND agent_id = ?",
                   IN(c->account_id), IN(team_id), IN(agent_id));
}
