/* Agents: made with their namespace, changed, archived; and the parts they play. */
#include "agent.h"

#include <string.h>

#include "access.h"
#include "account_store.h"
#include "agent_store.h"
#include "audit.h"
#include "db.h"
#include "input_check.h"
#include "json.h"
#include "limit.h"
#include "match.h"
#include "role.h"
#include "space.h"
#include "str.h"
#include "strs_json.h"

ENUMX_DEFINE(agent_status, AGENT_STATUS);

static struct json *agent_json(struct arena *a, const struct agent *g)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "slug", g->slug);
    json_set_str(a, o, "name", g->name);
    json_set_str(a, o, "kind", g->kind);
    json_set_str(a, o, "description", g->description);
    json_set_str(a, o, "role", g->role);
    json_set_str(a, o, "parent_id", uuid_is_nil(g->parent_id) ? NULL : arena_strdup(a, UUID_STR(g->parent_id)));
    json_set_str(a, o, "status", enumx_name(&agent_status_enumx, (int)g->status));
    json_set(a, o, "trust", json_num(a, g->trust));
    return o;
}

static err note(struct ctx *c, const char *kind, struct uuid id, const struct json *before, const struct json *after)
{
    TRY(audit_add(c, &(struct audit){.kind = kind, .subject_kind = "agent", .subject_id = id, .before = before,
                                     .after = after}));
    return access_changed(c);
}

/* ---- reading */

static err found_or_not(struct ctx *c, bool found)
{
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such agent");
}

err agent_get(struct ctx *c, struct uuid id, struct agent *out)
{
    bool found = false;

    TRY(agent_store_get(c, id, &found, out));
    return found_or_not(c, found);
}

err agent_by_slug(struct ctx *c, const char *slug, struct agent *out)
{
    bool found = false;

    TRY(agent_store_by_slug(c, slug, &found, out));
    return found_or_not(c, found);
}

err agent_list(struct ctx *c, const struct agent_filter *f, struct page *out)
{
    struct uuid before;
    struct agent *rows;
    size_t n;

    TRY(page_begin(c, f->cursor, &before));
    TRY(agent_store_list(c, f, before, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct agent, id);
    return ERR_OK;
}

/* ---- making and changing */

/* The parent exists and is not below the agent itself. */
static err check_parent(struct ctx *c, struct uuid id, struct uuid parent)
{
    struct agent a;
    bool found;

    for (int depth = 0; !uuid_is_nil(parent); depth++) {
        if (uuid_eq(parent, id) || depth == 32)
            return fail_field(c, "/parent_id", "parent_id would create a cycle or too many levels");
        TRY(agent_store_get(c, parent, &found, &a));
        if (!found && depth == 0)
            return fail_field(c, "/parent_id", "no agent with this id");
        parent = found ? a.parent_id : (struct uuid){0};
    }
    return ERR_OK;
}

static err check_trust(struct ctx *c, double trust)
{
    return trust >= 0 && trust <= 1 ? ERR_OK : fail_field(c, "/trust", "trust must be 0 to 1");
}

static err create(struct ctx *c, void *arg)
{
    const struct agent *a = arg;
    err e;

    TRY(check_parent(c, a->id, a->parent_id));
    e = agent_store_insert(c, a);
    if (e != ERR_OK && db_was_duplicate(c)) {
        ctx_forgive(c);
        return fail(c, ERR_CONFLICT, "agent '%s' exists already", a->slug);
    }
    TRY(e);
    TRY(space_make_agent_namespace(c, a->id, a->name));
    return note(c, "agent.create", a->id, NULL, agent_json(c->arena, a));
}

err agent_create(struct ctx *c, const struct agent_new *in, struct agent *out)
{
    struct agent a = {.slug = in->slug, .name = in->name, .kind = in->kind ? in->kind : "assistant",
                      .description = in->description, .role = in->role ? in->role : "agent",
                      .parent_id = in->parent_id, .trust = in->trust, .version = 1, .created_at = c->now,
                      .updated_at = c->now};

    TRY(check_slug(c, "/slug", a.slug));
    TRY(check_name(c, "/name", a.name));
    TRY(check_trust(c, a.trust));
    TRY(role_may_give(c, "/role", a.role, ROLE_OF_AGENT));
    a.id = uuid_new(c->now.us);
    TRY(db_tx(c, create, &a));
    *out = a;
    return ERR_OK;
}

static void apply(const struct agent_patch *p, struct agent *a)
{
    if (p->set & AGENT_SET_NAME)
        a->name = p->name;
    if (p->set & AGENT_SET_KIND)
        a->kind = p->kind;
    if (p->set & AGENT_SET_DESCRIPTION)
        a->description = p->description;
    if (p->set & AGENT_SET_ROLE)
        a->role = p->role;
    if (p->set & AGENT_SET_PARENT)
        a->parent_id = p->parent_id;
    if (p->set & AGENT_SET_STATUS)
        a->status = p->status;
    if (p->set & AGENT_SET_TRUST)
        a->trust = p->trust;
}

struct change {
    struct uuid id;
    const struct agent_patch *patch;
    const char *kind;
};

static err update(struct ctx *c, void *arg)
{
    const struct change *ch = arg;
    const struct agent_patch *p = ch->patch;
    struct agent was, a;
    int64_t changed;

    TRY(agent_get(c, ch->id, &was));
    TRY(match_version(c, p->if_version, was.version));
    TRY(role_may_govern(c, was.role));
    a = was;
    apply(p, &a);
    if (!str_eq(a.role, was.role))
        TRY(role_may_give(c, "/role", a.role, ROLE_OF_AGENT));
    if (p->set & AGENT_SET_PARENT) {
        TRY(account_store_hold(c));
        TRY(check_parent(c, a.id, a.parent_id));
    }
    TRY(agent_store_update(c, &a, &changed));
    if (!changed)
        return match_lost(c, p->if_version);
    return note(c, ch->kind, a.id, agent_json(c->arena, &was), agent_json(c->arena, &a));
}

err agent_update(struct ctx *c, struct uuid id, const struct agent_patch *p, struct agent *out)
{
    struct change ch = {id, p, "agent.update"};

    if (p->set & AGENT_SET_NAME)
        TRY(check_name(c, "/name", p->name));
    if (p->set & AGENT_SET_TRUST)
        TRY(check_trust(c, p->trust));
    TRY(db_tx(c, update, &ch));
    return agent_get(c, id, out);
}

err agent_archive(struct ctx *c, struct uuid id, int64_t if_version)
{
    struct agent_patch p = {.set = AGENT_SET_STATUS, .if_version = if_version, .status = AGENT_ARCHIVED};
    struct change ch = {id, &p, "agent.archive"};
    struct agent a;

    TRY(agent_get(c, id, &a));
    if (a.status == AGENT_ARCHIVED)
        return match_version(c, if_version, a.version);
    return db_tx(c, update, &ch);
}

/* ---- parts */

err agent_roles(struct ctx *c, struct uuid id, struct strs *out)
{
    struct agent a;

    TRY(agent_get(c, id, &a));
    return agent_store_roles(c, id, out);
}

struct parts {
    struct uuid id;
    struct strs roles;
};

static err set_roles(struct ctx *c, void *arg)
{
    const struct parts *p = arg;
    struct json *before = json_obj(c->arena), *after = json_obj(c->arena);
    struct strs was;

    TRY(agent_roles(c, p->id, &was));
    TRY(agent_store_set_roles(c, p->id, p->roles));
    json_set(c->arena, before, "roles", strs_to_json(c->arena, was));
    json_set(c->arena, after, "roles", strs_to_json(c->arena, p->roles));
    return note(c, "agent.roles", p->id, before, after);
}

err agent_set_roles(struct ctx *c, struct uuid id, struct strs roles, struct strs *out)
{
    struct parts p = {id, roles};

    if (roles.n > LIMIT_ROLES)
        return fail_field(c, "/roles", "at most %d", LIMIT_ROLES);
    for (size_t i = 0; i < roles.n; i++)
        if (!str_is_slug(roles.v[i]) || strlen(roles.v[i]) > 64)
            return fail_field(c, arena_printf(c->arena, "/roles/%zu", i), "1 to 64 of a-z 0-9 _ . -");
    TRY(db_tx(c, set_roles, &p));
    return agent_store_roles(c, id, out);
}
