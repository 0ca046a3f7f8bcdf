/* SQL of versions of skills. */
#include "skill_version_store.h"

#include "like.h"
#include "row.h"

err skill_version_store_get(struct ctx *c, struct uuid id, bool *found, struct skill_version *out)
{
    scoped_cursor q = {0};

    TRY(row_one(c, &SKILL_VERSION, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    if (!*found)
        return ERR_OK;
    TRY(db_query(c, &q, "SELECT body FROM skill_version WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return db_row(&q, c, found, OUT(&out->body));
}

err skill_version_store_list(struct ctx *c, const struct skill_version_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL_VERSION, "SELECT {*} FROM {from} WHERE account_id = ? AND skill_id = ? AND id < ? ORDER BY id DESC "
        "LIMIT ?",
        IN(c->account_id), IN(f->id), IN(before), IN(f->limit + 1));
    return row_page(c, &SKILL_VERSION, &s, f->limit, out);
}

err skill_version_store_last(struct ctx *c, struct uuid skill_id, const char **last, int64_t *n)
{
    scoped_cursor q = {0}, count = {0};
    bool found;

    *last = NULL;
    TRY(db_query(c, &q, "SELECT semver FROM skill_version WHERE account_id = ? AND skill_id = ? AND change_type <> 'experimental' "
        "ORDER BY id DESC LIMIT 1", IN(c->account_id), IN(skill_id)));
    TRY(db_row(&q, c, &found, OUT(last)));
    TRY(db_query(c, &count, "SELECT COUNT(*) FROM skill_version WHERE account_id = ? AND skill_id = ?", IN(c->account_id), IN(skill_id)));
    return db_row(&count, c, &found, OUT(n));
}

err skill_version_store_experiments(struct ctx *c, struct uuid skill_id, const char *base, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM skill_version WHERE account_id = ? AND skill_id = ? AND change_type = 'experimental' AND "
        "semver LIKE ?", IN(c->account_id), IN(skill_id), IN(like_prefix(c->arena, arena_printf(c->arena, "%s-exp.", base)))));
    return db_row(&q, c, &found, OUT(n));
}

err skill_version_store_insert(struct ctx *c, const struct skill_version *v)
{
    return db_exec(c, NULL,
        "INSERT INTO skill_version (account_id, id, skill_id, semver, change_type, origin, body, sections, change_reason, content_hash, "
        "tokens, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        IN(c->account_id), IN(v->id), IN(v->skill_id), IN(v->semver), IN(enumx_name(&skill_change_type_enumx, (int)v->change_type)),
        IN(enumx_name(&skill_origin_enumx, (int)v->origin)), IN(v->body), IN(json_text(c->arena, v->sections)),
        IN_OPT(v->change_reason), IN(v->content_hash), IN(v->tokens), IN(v->created_by), IN(v->created_at));
}

err skill_version_store_activate(struct ctx *c, struct uuid skill_id, struct uuid id)
{
    TRY(db_exec(c, NULL, "UPDATE skill_version SET is_active = (id = ?) WHERE account_id = ? AND skill_id = ? AND (is_active OR id = ?)",
        IN(id), IN(c->account_id), IN(skill_id), IN(id)));
    return db_exec(c, NULL, "UPDATE skill SET active_version_id = ?, version = version + 1, updated_at = ? WHERE account_id = ? AND id = ?",
        IN(id), IN(c->now), IN(c->account_id), IN(skill_id));
}

err skill_version_store_drop_one(struct ctx *c, struct uuid skill_id)
{
    return db_exec(c, NULL, "DELETE FROM skill_version WHERE account_id = ? AND skill_id = ? AND is_active = 0 AND usage_count = 0 "
        "ORDER BY id LIMIT 1", IN(c->account_id), IN(skill_id));
}
