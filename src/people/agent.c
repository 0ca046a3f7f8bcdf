/* Agents: created with their namespace, changed, archived; and their work roles. */
#include "agent.h"

#include <string.h>

#include "access.h"
#include "account_store.h"
#include "agent_store.h"
#include "audit.h"
#include "db.h"
#include "limit.h"
#include "match.h"
#include "role.h"
#include "space.h"
#include "strs_json.h"
#include "thing.h"

ENUMX_DEFINE(agent_status, AGENT_STATUS);
ENUMX_DEFINE(sensor_type, SENSOR_TYPE);

static const struct field AGENT_COLUMNS[] = {
    F_UUID(struct agent, id, COL_READ | COL_KEY | FIELD_AGENT, "id of the agent"),
    F_STR(struct agent, slug, COL_ONCE | COL_UNIQUE | FIELD_REQUIRED | FIELD_SLUG, 1, LIMIT_SLUG, "slug, unique in the account",
          .label = "Slug", .hint = "Lower-case letters, digits, dot, dash and underscore"),
    F_STR(struct agent, name, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_NAME, "display name", .label = "Name"),
    F_STR(struct agent, kind, COL_OPEN | FIELD_SLUG, 1, 64, "kind of agent", .preset = "assistant", .label = "Kind"),
    F_STR(struct agent, description, COL_OPEN | FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "description", .label = "Description"),
    F_STR(struct agent, role, COL_OPEN, 1, 64, "role; sets its permissions: agent, trusted, readonly or a role of the account",
          .preset = "agent", .label = "Role"),
    F_UUID(struct agent, parent_id, COL_OPEN | FIELD_NULLABLE, "parent agent"),
    F_ENUM(struct agent, status, COL_LATER, agent_status, AGENT_ACTIVE, "status; paused and archived agents cannot call the API",
           .label = "Status", .hint = "Paused and archived agents are refused.", .shades = "ok warn off"),
    F_NUM(struct agent, trust, COL_READ, 0, 1, AGENT_TRUST, "how far it is trusted overall, 0 to 1; moves with its evaluations"),
    F_TIME(struct agent, limited_at, COL_READ | COL_AUDIT | FIELD_NULLABLE,
           "since when its tokens may only read; null: they are not limited"),
    F_BOOL(struct agent, is_watched, COL_OPEN, false, "the observation pipeline looks after it", .label = "Watched",
           .hint = "Sensors look after it every half hour."),
    F_STRS(struct agent, sensors, COL_OPEN, 10, "which sensors; none: knowledge_health, platform_health, recommendation"),
    F_VERSION(struct agent),
    F_TIMES(struct agent),
    F_END
};
const struct thing AGENT = THING("agent", AGENT_COLUMNS, struct agent, .changed = access_changed, .schema = "Agent");

/* ---- reading */

err agent_get(struct ctx *c, struct uuid id, struct agent *out)
{
    return thing_get(c, &AGENT, id, out);
}

err agent_by_slug(struct ctx *c, const char *slug, struct agent *out)
{
    bool found;

    TRY(agent_store_by_slug(c, slug, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such agent");
}

err agent_list(struct ctx *c, const struct agent_filter *f, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return agent_store_list(c, f, before, out);
}

/* ---- creating and changing */

/* The parent exists and is not below the agent itself. */
static err agent_check_parent(struct ctx *c, struct uuid id, struct uuid parent)
{
    struct agent a;
    bool found;

    for (int depth = 0; !uuid_is_nil(parent); depth++) {
        if (uuid_eq(parent, id) || depth == 32)
            return fail_field(c, "/parent_id", "agents would descend from each other in a circle, or too deep");
        TRY(agent_store_get(c, parent, &found, &a));
        if (!found && depth == 0)
            return fail_field(c, "/parent_id", "there is no agent with this id");
        parent = found ? a.parent_id : (struct uuid){0};
    }
    return ERR_OK;
}

static err agent_check_sensors(struct ctx *c, const struct agent *a)
{
    int value;

    for (size_t i = 0; i < a->sensors.n; i++)
        if (!enumx_parse(&sensor_type_enumx, a->sensors.v[i], &value))
            return fail_field(c, arena_printf(c->arena, "/sensors/%zu", i), "there is no such sensor");
    return ERR_OK;
}

static err agent_create_tx(struct ctx *c, const struct agent *in, struct agent *out)
{
    struct agent a = *in;

    a.trust = AGENT_TRUST;
    a.limited_at = (struct instant){0};
    TRY(thing_begin(c, &AGENT, &a));
    TRY(role_may_give(c, "/role", a.role, ROLE_OF_AGENT));
    TRY(agent_check_parent(c, a.id, a.parent_id));
    TRY(agent_check_sensors(c, &a));
    TRY(thing_insert(c, &AGENT, &a));
    TRY(space_make_agent_namespace(c, a.id, a.name));
    *out = a;
    return ERR_OK;
}
DB_TX(agent_create, struct agent, struct agent)

static err agent_update_tx(struct ctx *c, const struct agent_change *ch, struct agent *out)
{
    struct agent was, a;

    TRY(thing_take(c, &AGENT, ch->to.id, ch->change.if_version, &was));
    TRY(role_may_govern(c, was.role));
    a = was;
    TRY(thing_apply(c, &AGENT, ch, &a));
    if (!str_eq(a.role, was.role))
        TRY(role_may_give(c, "/role", a.role, ROLE_OF_AGENT));
    TRY(agent_check_sensors(c, &a));
    if (changes(ch, parent_id)) {
        TRY(account_store_hold(c));
        TRY(agent_check_parent(c, a.id, a.parent_id));
    }
    TRY(thing_save(c, &AGENT, &ch->change, &was, &a));
    *out = a;
    return ERR_OK;
}
DB_TX(agent_update, struct agent_change, struct agent)

err agent_archive(struct ctx *c, const struct thing_key *key)
{
    struct agent a;

    TRY(agent_get(c, key->id, &a));
    if (a.status == AGENT_ARCHIVED)
        return match_version(c, key->if_version, a.version);
    return agent_update(c, CHANGE_OF(struct agent_change, key->id, status, AGENT_ARCHIVED, .change.if_version = key->if_version,
                                     .change.verb = "archive"), &a);
}

err agent_limit(struct ctx *c, struct uuid id, bool limited)
{
    struct agent was, a;

    TRY(thing_take(c, &AGENT, id, 0, &was));
    a = was;
    a.limited_at = limited ? c->now : (struct instant){0};
    return thing_save(c, &AGENT, &(struct thing_change){.verb = limited ? "limit" : "lift"}, &was, &a);
}

/* ---- on its behalf */

struct standing_in {
    struct uuid id;
    const char *kind;
};

static err agent_note_stand_in_tx(struct ctx *c, const struct standing_in *in)
{
    return audit_add(c, &(struct audit){.kind = in->kind, .subject_kind = "agent", .subject_id = in->id});
}
DB_TX_IN_INNER(agent_note_stand_in, struct standing_in)

err agent_stand_in(struct ctx *c, struct uuid id, const char *kind, struct agent_self *self)
{
    struct agent a;

    *self = (struct agent_self){c->who, c->access};
    TRY(agent_get(c, id, &a));
    if (!permissions_have(c->who->perms, PERM_MEMORY_MANAGE) && !uuid_eq(a.parent_id, c->who->id))
        return fail(c, ERR_NOT_FOUND, "no such agent");
    TRY(agent_note_stand_in(c, &(struct standing_in){id, kind}));
    return access_as_agent(c, c->account_id, id);
}

void agent_stand_down(struct ctx *c, const struct agent_self *self)
{
    c->who = self->who;
    c->access = self->access;
}

/* ---- work roles */

err agent_roles_get(struct ctx *c, struct uuid id, struct agent_roles *out)
{
    struct agent a;

    TRY(agent_get(c, id, &a));
    out->id = id;
    return agent_store_roles(c, id, &out->roles);
}

static struct json *agent_roles_json(struct arena *a, struct strs roles)
{
    struct json *o = json_obj(a);

    json_set(a, o, "roles", strs_to_json(a, roles));
    return o;
}

static err agent_roles_set_tx(struct ctx *c, const struct agent_roles *in, struct agent_roles *out)
{
    struct agent_roles was;

    if (in->roles.n > LIMIT_ROLES)
        return fail_field(c, "/roles", "at most %d", LIMIT_ROLES);
    for (size_t i = 0; i < in->roles.n; i++)
        if (!str_is_slug(in->roles.v[i]) || strlen(in->roles.v[i]) > 64)
            return fail_field(c, arena_printf(c->arena, "/roles/%zu", i), "1 to 64 of a-z 0-9 _ . -");
    TRY(agent_roles_get(c, in->id, &was));
    TRY(agent_store_set_roles(c, in->id, in->roles));
    TRY(thing_note(c, &AGENT, "roles", in->id, agent_roles_json(c->arena, was.roles), agent_roles_json(c->arena, in->roles)));
    return agent_store_roles(c, in->id, &out->roles);
}
DB_TX(agent_roles_set, struct agent_roles, struct agent_roles)
