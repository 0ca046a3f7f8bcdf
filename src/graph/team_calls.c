/* Operations on teams and their members. */
#include "graph_calls.h"
#include "team.h"

#define TAG "teams"

static const struct field TEAM_OUT[] = {
    F_UUID(struct team, id, 0, "id"),
    F_STR(struct team, slug, 0, 0, 0, "slug, unique in the account"),
    F_STR(struct team, name, 0, 0, 0, "display name"),
    F_STR(struct team, description, FIELD_NULLABLE, 0, 0, "purpose"),
    F_INT(struct team, members, 0, 0, 0, 0, "number of agents"),
    F_INT(struct team, version, 0, 0, 0, 0, "version; increases with every change; the ETag"),
    F_TIME(struct team, created_at, 0, "when it was created"),
    F_TIME(struct team, updated_at, 0, "when it was last changed"),
    F_END
};

struct by_id {
    struct uuid id;
};

static const struct field BY_ID[] = {
    F_UUID(struct by_id, id, FIELD_REQUIRED, "id of the team"),
    F_END
};

/* ---- teams */

struct list_in {
    const char *q, *cursor;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_STR(struct list_in, q, 0, 1, LIMIT_NAME, "only teams whose name or slug contains this"),
    F_PAGE(struct list_in),
    F_END
};

static err list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;

    return team_list(c, i->q, i->limit, i->cursor, out);
}

static const struct op LIST = {
    .name = "team.list", .method = "GET", .path = "/api/v1/teams", .tag = TAG,
    .summary = "Lists the teams of the account, newest first.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(TEAM_OUT, struct team), .run = list,
};

static err get(struct ctx *c, const void *in, void *out)
{
    return team_get(c, ((const struct by_id *)in)->id, out);
}

static const struct op GET = {
    .name = "team.get", .method = "GET", .path = "/api/v1/teams/:id", .tag = TAG,
    .summary = "Returns one team.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
    OP_IN(BY_ID, struct by_id), OP_OUT(TEAM_OUT, struct team), .run = get,
};

static const struct field CREATE_IN[] = {
    F_STR(struct team_new, slug, FIELD_REQUIRED | FIELD_SLUG, 1, LIMIT_SLUG, "slug, unique in the account"),
    F_STR(struct team_new, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct team_new, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_END
};

static err create(struct ctx *c, const void *in, void *out)
{
    return team_create(c, in, out);
}

static const struct op CREATE = {
    .name = "team.create", .method = "POST", .path = "/api/v1/teams", .tag = TAG,
    .summary = "Creates a team and its namespace.",
    .help = "The namespace is called team:<slug>; the agents of the team can write to it.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG,
    OP_IN(CREATE_IN, struct team_new), OP_OUT(TEAM_OUT, struct team), .run = create,
};

struct update_in {
    struct given given;
    struct uuid id;
    const char *name, *description;
};

static const struct field UPDATE_IN[] = {
    F_UUID(struct update_in, id, FIELD_REQUIRED, "id of the team"),
    F_STR(struct update_in, name, 0, 1, LIMIT_NAME, "display name"),
    F_STR(struct update_in, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_END
};

static err update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct team_patch p = {.if_version = c->if_match, .name = i->name, .description = i->description};

    p.set = (given(i, name) ? TEAM_SET_NAME : 0) | (given(i, description) ? TEAM_SET_DESCRIPTION : 0);
    return team_update(c, i->id, &p, out);
}

static const struct op UPDATE = {
    .name = "team.update", .method = "PATCH", .path = "/api/v1/teams/:id", .tag = TAG,
    .summary = "Changes a team's name or description.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(TEAM_OUT, struct team), .run = update,
};

static err delete(struct ctx *c, const void *in, void *out)
{
    (void)out;
    return team_delete(c, ((const struct by_id *)in)->id, c->if_match);
}

static const struct op DELETE = {
    .name = "team.delete", .method = "DELETE", .path = "/api/v1/teams/:id", .tag = TAG,
    .summary = "Deletes a team.",
    .help = "Its grants are deleted; the content of its namespace is kept in an archived space.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
    OP_IN(BY_ID, struct by_id), .run = delete,
};

/* ---- members */

static const struct field MEMBER_OUT[] = {
    F_UUID(struct team_member, agent_id, 0, "the agent"),
    F_STR(struct team_member, slug, 0, 0, 0, "slug of the agent"),
    F_STR(struct team_member, name, 0, 0, 0, "name of the agent"),
    F_STR(struct team_member, role, 0, 0, 0, "role in the team"),
    F_BOOL(struct team_member, is_lead, 0, 0, "team lead"),
    F_TIME(struct team_member, created_at, 0, "when it joined"),
    F_END
};

struct members_in {
    struct uuid id;
    int64_t limit;
    const char *cursor;
};

static const struct field MEMBERS_IN[] = {
    F_UUID(struct members_in, id, FIELD_REQUIRED, "id of the team"),
    F_PAGE(struct members_in),
    F_END
};

static err members(struct ctx *c, const void *in, void *out)
{
    const struct members_in *i = in;

    return team_members(c, i->id, i->limit, i->cursor, out);
}

static const struct op MEMBERS = {
    .name = "team.members", .method = "GET", .path = "/api/v1/teams/:id/members", .tag = TAG,
    .summary = "Lists the agents of a team, newest first.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(MEMBERS_IN, struct members_in), OP_OUT(MEMBER_OUT, struct team_member), .run = members,
};

struct put_in {
    struct uuid id, agent_id;
    const char *role;
    bool is_lead;
};

static const struct field PUT_IN[] = {
    F_UUID(struct put_in, id, FIELD_REQUIRED, "id of the team"),
    F_UUID(struct put_in, agent_id, FIELD_REQUIRED, "id of the agent"),
    F_STR(struct put_in, role, FIELD_SLUG, 1, 64, "role in the team; default: member"),
    F_BOOL(struct put_in, is_lead, 0, 0, "team lead"),
    F_END
};

static err put(struct ctx *c, const void *in, void *out)
{
    const struct put_in *i = in;

    return team_put_member(c, i->id, i->agent_id, i->role, i->is_lead, out);
}

static const struct op PUT = {
    .name = "team.put_member", .method = "PUT", .path = "/api/v1/teams/:id/members/:agent_id", .tag = TAG,
    .summary = "Adds an agent to a team, or changes its role in it.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_IDEMPOTENT,
    OP_IN(PUT_IN, struct put_in), OP_OUT(MEMBER_OUT, struct team_member), .run = put,
};

struct remove_in {
    struct uuid id, agent_id;
};

static const struct field REMOVE_IN[] = {
    F_UUID(struct remove_in, id, FIELD_REQUIRED, "id of the team"),
    F_UUID(struct remove_in, agent_id, FIELD_REQUIRED, "id of the agent"),
    F_END
};

static err remove_(struct ctx *c, const void *in, void *out)
{
    const struct remove_in *i = in;

    (void)out;
    return team_remove_member(c, i->id, i->agent_id);
}

static const struct op REMOVE = {
    .name = "team.remove_member", .method = "DELETE", .path = "/api/v1/teams/:id/members/:agent_id", .tag = TAG,
    .summary = "Removes an agent from a team.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_NO_BODY,
    OP_IN(REMOVE_IN, struct remove_in), .run = remove_,
};

const struct op *const team_calls_table[] = {&LIST, &GET, &CREATE, &UPDATE, &DELETE, &MEMBERS, &PUT, &REMOVE, NULL};
