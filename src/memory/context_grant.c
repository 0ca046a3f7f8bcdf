/* Grants of contexts and pools; see context_grant.h. */
#include "context_grant.h"

#include "access.h"
#include "context_impl.h"
#include "db.h"
#include "pool.h"
#include "space.h"

struct granting {
    struct uuid space_id, grant_id;
    bool is_context;                     /* contexts have an access log */
    const struct context_grantee *to;
    enum access_level level;
    struct instant expires_at;
    struct grant made;
};

static err existing(struct ctx *c, const struct granting *g, bool *found, struct grant *out)
{
    struct grant *rows;
    size_t n;

    *found = false;
    TRY(grants_of(c, g->space_id, &rows, &n));
    for (size_t i = 0; i < n && !*found; i++)
        if (rows[i].grantee_kind == g->to->kind && str_eq(rows[i].grantee_id, g->to->id)) {
            *out = rows[i];
            *found = true;
        }
    return ERR_OK;
}

static err log_change(struct ctx *c, const struct granting *g, enum access_action action)
{
    struct json *said;

    if (!g->is_context)
        return ERR_OK;
    said = json_obj(c->arena);
    json_set_str(c->arena, said, "grantee_kind", enumx_name(&grantee_kind_enumx, (int)g->made.grantee_kind));
    json_set_str(c->arena, said, "grantee_id", g->made.grantee_id);
    json_set_str(c->arena, said, "level", enumx_name(&access_level_enumx, (int)g->made.level));
    return context_log(c, action, g->space_id, said);
}

static err take_away(struct ctx *c, struct granting *g, const struct grant *before)
{
    g->made = *before;
    g->made.level = ACCESS_NONE;
    TRY(log_change(c, g, LOGGED_REVOKE));
    return grant_remove(c, g->space_id, before->id);
}

static err grant_body(struct ctx *c, void *arg)
{
    struct granting *g = arg;
    struct grant before = {0};
    bool found;

    TRY(existing(c, g, &found, &before));
    if (g->level == ACCESS_NONE)
        return found ? take_away(c, g, &before) : fail(c, ERR_NOT_FOUND, "no such grant");
    if (found)
        TRY(grant_update(c, g->space_id, before.id,
                         &(struct grant_patch){.set = GRANT_SET_LEVEL | GRANT_SET_EXPIRES, .level = g->level,
                                               .expires_at = g->expires_at}, &g->made));
    else
        TRY(grant_add(c, &(struct grant_new){.space_id = g->space_id, .grantee_kind = g->to->kind, .grantee_id = g->to->id,
                                             .level = g->level, .expires_at = g->expires_at}, &g->made));
    return log_change(c, g, LOGGED_GRANT);
}

static err managed(struct ctx *c, const struct shared *s, enum access_action action, struct granting *g)
{
    struct context x;
    struct space pool;

    g->is_context = s->kind == SHARED_CONTEXT;
    if (!g->is_context) {
        TRY(pool_find(c, s->ref, &pool));
        g->space_id = pool.id;
        return access_require(c, pool.id, ACCESS_MANAGE);
    }
    TRY(context_find(c, s->ref, &x));
    g->space_id = x.id;
    return context_require(c, &x, ACCESS_MANAGE, action);
}

err context_grant(struct ctx *c, const struct shared *s, const struct context_grantee *to, enum access_level level,
                  struct instant expires_at, struct grant *out)
{
    struct granting g = {.to = to, .level = level, .expires_at = expires_at};

    TRY(managed(c, s, level == ACCESS_NONE ? LOGGED_REVOKE : LOGGED_GRANT, &g));
    TRY(db_tx(c, grant_body, &g));
    *out = g.made;
    return ERR_OK;
}

err context_grants(struct ctx *c, const struct shared *s, int64_t limit, const char *cursor, struct page *out)
{
    struct granting g = {0};

    TRY(managed(c, s, LOGGED_READ, &g));
    return grant_list(c, g.space_id, limit, cursor, out);
}

static err revoke_body(struct ctx *c, void *arg)
{
    struct granting *g = arg;
    struct grant *rows;
    size_t n;

    TRY(grants_of(c, g->space_id, &rows, &n));
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(rows[i].id, g->grant_id))
            return take_away(c, g, &rows[i]);
    return fail(c, ERR_NOT_FOUND, "no such grant");
}

err context_revoke(struct ctx *c, const struct shared *s, struct uuid grant_id)
{
    struct granting g = {.grant_id = grant_id};

    TRY(managed(c, s, LOGGED_REVOKE, &g));
    return db_tx(c, revoke_body, &g);
}
