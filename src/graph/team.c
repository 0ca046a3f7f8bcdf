/* Teams: made with their namespace, changed, dissolved; and who is in them. */
#include "team.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "audit.h"
#include "db.h"
#include "grant.h"
#include "input_check.h"
#include "json.h"
#include "match.h"
#include "space.h"
#include "str.h"
#include "team_store.h"

static struct json *team_json(struct arena *a, const struct team *t)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "slug", t->slug);
    json_set_str(a, o, "name", t->name);
    json_set_str(a, o, "description", t->description);
    return o;
}

static err note(struct ctx *c, const char *kind, struct uuid id, const struct json *before, const struct json *after)
{
    TRY(audit_add(c, &(struct audit){.kind = kind, .subject_kind = "team", .subject_id = id, .before = before,
                                     .after = after}));
    return access_changed(c);
}

/* ---- teams */

err team_get(struct ctx *c, struct uuid id, struct team *out)
{
    bool found;

    TRY(team_store_get(c, id, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such team");
}

err team_list(struct ctx *c, const char *q, int64_t limit, const char *cursor, struct page *out)
{
    struct uuid before;
    struct team *rows;
    size_t n;

    TRY(page_begin(c, cursor, &before));
    TRY(team_store_list(c, q, limit, before, &rows, &n));
    PAGE_END(c, out, rows, n, limit, struct team, id);
    return ERR_OK;
}

static err create(struct ctx *c, void *arg)
{
    const struct team *t = arg;
    err e = team_store_insert(c, t);

    if (e != ERR_OK && db_was_duplicate(c)) {
        ctx_forgive(c);
        return fail(c, ERR_CONFLICT, "team '%s' exists already", t->slug);
    }
    TRY(e);
    TRY(space_make_team_namespace(c, t->id, t->slug, t->name));
    return note(c, "team.create", t->id, NULL, team_json(c->arena, t));
}

err team_create(struct ctx *c, const struct team_new *in, struct team *out)
{
    struct team t = {.slug = in->slug, .name = in->name, .description = in->description, .version = 1,
                     .created_at = c->now, .updated_at = c->now};

    TRY(check_slug(c, "/slug", t.slug));
    TRY(check_name(c, "/name", t.name));
    t.id = uuid_new(c->now.us);
    TRY(db_tx(c, create, &t));
    *out = t;
    return ERR_OK;
}

struct change {
    struct uuid id;
    const struct team_patch *patch;
};

static err update(struct ctx *c, void *arg)
{
    const struct change *ch = arg;
    const struct team_patch *p = ch->patch;
    struct team was, t;
    int64_t changed;

    TRY(team_get(c, ch->id, &was));
    TRY(match_version(c, p->if_version, was.version));
    t = was;
    if (p->set & TEAM_SET_NAME)
        t.name = p->name;
    if (p->set & TEAM_SET_DESCRIPTION)
        t.description = p->description;
    TRY(team_store_update(c, &t, &changed));
    if (!changed)
        return match_lost(c, p->if_version);
    return note(c, "team.update", t.id, team_json(c->arena, &was), team_json(c->arena, &t));
}

err team_update(struct ctx *c, struct uuid id, const struct team_patch *p, struct team *out)
{
    struct change ch = {id, p};

    if (p->set & TEAM_SET_NAME)
        TRY(check_name(c, "/name", p->name));
    TRY(db_tx(c, update, &ch));
    return team_get(c, id, out);
}

static err delete(struct ctx *c, void *arg)
{
    const struct change *ch = arg;
    struct team t;
    int64_t changed;

    TRY(team_get(c, ch->id, &t));
    TRY(match_version(c, ch->patch->if_version, t.version));
    TRY(grant_forget_grantee(c, GRANTEE_TEAM, UUID_STR(t.id)));
    TRY(team_store_retire_namespace(c, t.id));
    TRY(team_store_delete(c, t.id, t.version, &changed));
    if (!changed)
        return match_lost(c, ch->patch->if_version);
    return note(c, "team.delete", t.id, team_json(c->arena, &t), NULL);
}

err team_delete(struct ctx *c, struct uuid id, int64_t if_version)
{
    struct change ch = {id, &(struct team_patch){.if_version = if_version}};

    return db_tx(c, delete, &ch);
}

/* ---- members */

static struct json *member_json(struct arena *a, const struct team_member *m)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "agent_id", arena_strdup(a, UUID_STR(m->agent_id)));
    json_set_str(a, o, "role", m->role);
    json_set_bool(a, o, "is_lead", m->is_lead);
    return o;
}

err team_members(struct ctx *c, struct uuid team_id, int64_t limit, const char *cursor, struct page *out)
{
    struct uuid before;
    struct team_member *rows;
    struct team t;
    size_t n;

    TRY(team_get(c, team_id, &t));
    TRY(page_begin(c, cursor, &before));
    TRY(team_store_members(c, team_id, limit, before, &rows, &n));
    PAGE_END(c, out, rows, n, limit, struct team_member, agent_id);
    return ERR_OK;
}

struct seat {
    struct uuid team_id;
    struct team_member member;
};

static err put_member(struct ctx *c, void *arg)
{
    const struct seat *s = arg;
    struct team_member was;
    struct team t;
    struct agent a;
    bool found;

    TRY(team_get(c, s->team_id, &t));
    TRY(agent_get(c, s->member.agent_id, &a));
    TRY(team_store_member(c, s->team_id, s->member.agent_id, &found, &was));
    TRY(team_store_put_member(c, s->team_id, &s->member));
    return note(c, "team.member_put", s->team_id, found ? member_json(c->arena, &was) : NULL,
                member_json(c->arena, &s->member));
}

err team_put_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, const char *role, bool is_lead,
                    struct team_member *out)
{
    struct seat s = {team_id, {.agent_id = agent_id, .role = role ? role : "member", .is_lead = is_lead,
                               .created_at = c->now}};
    bool found;

    if (!str_is_slug(s.member.role) || strlen(s.member.role) > 64)
        return fail_field(c, "/role", "1 to 64 of a-z 0-9 _ . -");
    TRY(db_tx(c, put_member, &s));
    TRY(team_store_member(c, team_id, agent_id, &found, out));
    return found ? ERR_OK : fail(c, ERR_CONFLICT, "the agent was removed from the team meanwhile");
}

static err remove_member(struct ctx *c, void *arg)
{
    const struct seat *s = arg;
    struct team_member was;
    struct team t;
    int64_t changed;
    bool found;

    TRY(team_get(c, s->team_id, &t));
    TRY(team_store_member(c, s->team_id, s->member.agent_id, &found, &was));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "the agent is not in this team");
    TRY(team_store_remove_member(c, s->team_id, s->member.agent_id, &changed));
    return note(c, "team.member_remove", s->team_id, member_json(c->arena, &was), NULL);
}

err team_remove_member(struct ctx *c, struct uuid team_id, struct uuid agent_id)
{
    struct seat s = {team_id, {.agent_id = agent_id}};

    return db_tx(c, remove_member, &s);
}
