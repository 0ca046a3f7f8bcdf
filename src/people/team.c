/* Teams: made with their namespace, changed, dissolved; and who is in them. */
#include "team.h"

#include "access.h"
#include "agent.h"
#include "db.h"
#include "grant.h"
#include "limit.h"
#include "space.h"
#include "team_store.h"
#include "thing.h"

static const struct field TEAM_COLUMNS[] = {
    F_ID(struct team, "id of the team"),
    F_STR(struct team, slug, COL_ONCE | COL_UNIQUE | FIELD_REQUIRED | FIELD_SLUG, 1, LIMIT_SLUG, "slug, unique in the account",
          .label = "Slug"),
    F_STR(struct team, name, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_NAME, "display name", .label = "Name"),
    F_STR(struct team, description, COL_OPEN | FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose", .label = "Purpose"),
    F_INT(struct team, members, COL_SHOW, 0, 0, 0, "number of agents",
          .sql = "(SELECT COUNT(*) FROM team_member m WHERE m.account_id = t.account_id AND m.team_id = t.id)"),
    F_VERSION(struct team),
    F_TIMES(struct team),
    F_END
};
const struct thing TEAM = THING("team", TEAM_COLUMNS, struct team, .from = "team t", .alias = "t", .changed = access_changed,
                                .schema = "Team");

static const struct field TEAM_MEMBER_COLUMNS[] = {
    F_UUID(struct team_member, team_id, COL_ROW, "id of the team"),
    F_UUID(struct team_member, agent_id, COL_READ | COL_AUDIT | COL_KEY, "the agent"),
    F_STR(struct team_member, slug, COL_SHOW, 0, 0, "slug of the agent", .sql = "g.slug"),
    F_STR(struct team_member, name, COL_SHOW, 0, 0, "name of the agent", .sql = "g.name"),
    F_STR(struct team_member, role, COL_OPEN | FIELD_SLUG, 1, 64, "role in the team", .preset = "member", .label = "Role"),
    F_BOOL(struct team_member, is_lead, COL_OPEN, false, "team lead", .label = "Team lead"),
    F_TIME(struct team_member, created_at, COL_READ | COL_BORN, "when it joined"),
    F_END
};
const struct thing TEAM_MEMBER = THING("team_member", TEAM_MEMBER_COLUMNS, struct team_member,
    .from = "team_member m JOIN agent g ON g.account_id = m.account_id AND g.id = m.agent_id", .alias = "m", .schema = "TeamMember");

/* ---- teams */

err team_get(struct ctx *c, struct uuid id, struct team *out)
{
    return thing_get(c, &TEAM, id, out);
}

err team_list(struct ctx *c, const struct team_filter *f, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return team_store_list(c, f, before, out);
}

static err team_create_tx(struct ctx *c, const struct team *in, struct team *out)
{
    struct team t = *in;

    TRY(thing_begin(c, &TEAM, &t));
    TRY(thing_insert(c, &TEAM, &t));
    TRY(space_make_team_namespace(c, t.id, t.slug, t.name));
    *out = t;
    return ERR_OK;
}
DB_TX(team_create, struct team, struct team)

err team_update(struct ctx *c, const struct team_change *ch, struct team *out)
{
    return thing_update(c, &TEAM, ch, out);
}

static err team_delete_tx(struct ctx *c, const struct thing_key *key)
{
    struct team t;

    TRY(thing_take(c, &TEAM, key->id, key->if_version, &t));
    TRY(grant_forget_grantee(c, GRANTEE_TEAM, UUID_STR(t.id)));
    TRY(team_store_retire_namespace(c, t.id));
    return thing_remove(c, &TEAM, &t, key->if_version);
}
DB_TX_IN(team_delete, struct thing_key)

/* ---- members */

static struct json *member_json(struct ctx *c, const struct team_member *m)
{
    return field_encode_use(c->arena, TEAM_MEMBER_COLUMNS, COL_AUDIT, m);
}

err team_members(struct ctx *c, const struct team_member_filter *f, struct page *out)
{
    struct uuid before;
    struct team t;

    TRY(team_get(c, f->id, &t));
    TRY(page_begin(c, f->cursor, &before));
    return team_store_members(c, f, before, out);
}

static err team_put_member_tx(struct ctx *c, const struct team_member *in, struct team_member *out)
{
    struct team_member m = *in, was;
    struct team t;
    struct agent a;
    bool found;

    TRY(thing_begin(c, &TEAM_MEMBER, &m));
    TRY(team_get(c, m.team_id, &t));
    TRY(agent_get(c, m.agent_id, &a));
    TRY(team_store_member(c, m.team_id, m.agent_id, &found, &was));
    TRY(team_store_put_member(c, &m));
    TRY(thing_note(c, &TEAM, "member_put", m.team_id, found ? member_json(c, &was) : NULL, member_json(c, &m)));
    TRY(team_store_member(c, m.team_id, m.agent_id, &found, out));
    return found ? ERR_OK : fail(c, ERR_CONFLICT, "the agent was removed from the team meanwhile");
}
DB_TX(team_put_member, struct team_member, struct team_member)

static err team_remove_member_tx(struct ctx *c, const struct team_member *m)
{
    struct team_member was;
    struct team t;
    int64_t changed;
    bool found;

    TRY(team_get(c, m->team_id, &t));
    TRY(team_store_member(c, m->team_id, m->agent_id, &found, &was));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "the agent is not in this team");
    TRY(team_store_remove_member(c, m->team_id, m->agent_id, &changed));
    return thing_note(c, &TEAM, "member_remove", m->team_id, member_json(c, &was), NULL);
}
DB_TX_IN(team_remove_member, struct team_member)
