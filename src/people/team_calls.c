/* Operations on teams and their members. */
#include "people_calls.h"
#include "team.h"

#define TAG "teams"

/* ---- teams */

static const struct field TEAM_FILTER[] = {
    F_STR(struct team_filter, q, 0, 1, LIMIT_NAME, "only teams whose name or slug contains this"),
    F_PAGE(struct team_filter),
    F_END
};

OP_CALL(TEAM_LIST, struct team_filter, struct page, team_list(c, in, out),
        .name = "team.list", .method = "GET", .path = "/api/v1/teams", .tag = TAG, .summary = "Lists the teams of the account, newest first.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(TEAM_FILTER, struct team_filter), OP_GIVE(TEAM, struct team));

OP_CALL(TEAM_GET, struct thing_key, struct team, team_get(c, in->id, out),
        .name = "team.get", .method = "GET", .path = "/api/v1/teams/:id", .tag = TAG, .summary = "Returns one team.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(TEAM), OP_GIVE(TEAM, struct team));

OP_CALL(TEAM_CREATE, struct team, struct team, team_create(c, in, out),
        .name = "team.create", .method = "POST", .path = "/api/v1/teams", .tag = TAG, .summary = "Creates a team and its namespace.",
        .help = "The namespace is called team:<slug>; the agents of the team can write to it.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(TEAM, struct team), OP_GIVE(TEAM, struct team));

OP_CALL(TEAM_UPDATE, struct team_change, struct team, team_update(c, in, out),
        .name = "team.update", .method = "PATCH", .path = "/api/v1/teams/:id", .tag = TAG, .summary = "Changes a team's name or description.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH, OP_CHANGE(TEAM, struct team_change), OP_GIVE(TEAM, struct team));

OP_CALL(TEAM_DELETE, struct thing_key, void, team_delete(c, in),
        .name = "team.delete", .method = "DELETE", .path = "/api/v1/teams/:id", .tag = TAG, .summary = "Deletes a team.",
        .help = "Its grants are deleted; the content of its namespace is kept in an archived space.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY, OP_KEY(TEAM));

/* ---- members */

static const struct field TEAM_MEMBER_FILTER[] = {
    F_UUID(struct team_member_filter, id, FIELD_REQUIRED, "id of the team"),
    F_PAGE(struct team_member_filter),
    F_END
};

OP_CALL(TEAM_MEMBERS, struct team_member_filter, struct page, team_members(c, in, out),
        .name = "team.members", .method = "GET", .path = "/api/v1/teams/:id/members", .tag = TAG,
        .summary = "Lists the agents of a team, newest first.", .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(TEAM_MEMBER_FILTER, struct team_member_filter), OP_GIVE(TEAM_MEMBER, struct team_member));

/* A seat is named by the path: the id of the team and the agent's. */
#define SEAT_FIELDS \
    F_UUID_AS("id", struct team_member, team_id, FIELD_REQUIRED, "id of the team"), \
    F_UUID(struct team_member, agent_id, FIELD_REQUIRED, "id of the agent")

static const struct field SEAT_IN[] = {SEAT_FIELDS, F_END};

static const struct field TEAM_PUT_IN[] = {
    SEAT_FIELDS,
    F_STR(struct team_member, role, FIELD_SLUG, 1, 64, "role in the team; default: member"),
    F_BOOL(struct team_member, is_lead, 0, 0, "team lead"),
    F_END
};

OP_CALL(TEAM_PUT_MEMBER, struct team_member, struct team_member, team_put_member(c, in, out),
        .name = "team.put_member", .method = "PUT", .path = "/api/v1/teams/:id/members/:agent_id", .tag = TAG,
        .summary = "Adds an agent to a team, or changes its role in it.", .perm = PERM_ACCOUNT_MANAGE, .flags = OP_IDEMPOTENT,
        OP_IN(TEAM_PUT_IN, struct team_member), OP_GIVE(TEAM_MEMBER, struct team_member));

OP_CALL(TEAM_REMOVE_MEMBER, struct team_member, void, team_remove_member(c, in),
        .name = "team.remove_member", .method = "DELETE", .path = "/api/v1/teams/:id/members/:agent_id", .tag = TAG,
        .summary = "Removes an agent from a team.", .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_NO_BODY,
        OP_IN(SEAT_IN, struct team_member));

const struct op *const team_calls_table[] = {&TEAM_LIST, &TEAM_GET, &TEAM_CREATE, &TEAM_UPDATE, &TEAM_DELETE, &TEAM_MEMBERS,
                                             &TEAM_PUT_MEMBER, &TEAM_REMOVE_MEMBER, NULL};
