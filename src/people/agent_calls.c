/* Operations on agents, their work roles and their public keys. */
#include "agent.h"
#include "people_calls.h"

#define TAG "agents"

static const struct field AGENT_FILTER[] = {
    F_ENUM(struct agent_filter, status, FIELD_UNSAID, agent_status, -1, "only agents of this status"),
    F_STR(struct agent_filter, kind, FIELD_SLUG, 1, 64, "only agents of this kind"),
    F_STR(struct agent_filter, q, 0, 1, LIMIT_NAME, "only agents whose name or slug contains this"),
    F_PAGE(struct agent_filter),
    F_END
};

OP_CALL(AGENT_LIST, struct agent_filter, struct page, agent_list(c, in, out),
        .name = "agent.list", .method = "GET", .path = "/api/v1/agents", .tool = "list_agents", .tag = TAG,
        .summary = "Lists the agents of the account, newest first.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(AGENT_FILTER, struct agent_filter), OP_GIVE(AGENT, struct agent));

OP_CALL(AGENT_GET, struct thing_key, struct agent, agent_get(c, in->id, out),
        .name = "agent.get", .method = "GET", .path = "/api/v1/agents/:id", .tag = TAG, .summary = "Returns one agent.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(AGENT), OP_GIVE(AGENT, struct agent));

OP_CALL(AGENT_CREATE, struct agent, struct agent, agent_create(c, in, out),
        .name = "agent.create", .method = "POST", .path = "/api/v1/agents", .tag = TAG,
        .summary = "Creates an agent and its private namespace.",
        .help = "The namespace is called agent:<id>; only the agent can read it unless access is granted. Create a token so that the agent can "
                "call the API: POST /api/v1/tokens.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(AGENT, struct agent), OP_GIVE(AGENT, struct agent));

OP_CALL(AGENT_UPDATE, struct agent_change, struct agent, agent_update(c, in, out),
        .name = "agent.update", .method = "PATCH", .path = "/api/v1/agents/:id", .tag = TAG, .summary = "Changes an agent.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH, OP_CHANGE(AGENT, struct agent_change), OP_GIVE(AGENT, struct agent));

OP_CALL(AGENT_ARCHIVE, struct thing_key, void, agent_archive(c, in),
        .name = "agent.archive", .method = "DELETE", .path = "/api/v1/agents/:id", .tag = TAG, .summary = "Archives an agent.",
        .help = "Its tokens stop working at once; its memories stay. PATCH its status to reactivate it.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_MATCH | OP_NO_BODY, OP_KEY(AGENT));

/* ---- work roles */

static const struct field AGENT_ROLES_OUT[] = {
    F_STRS(struct agent_roles, roles, 0, LIMIT_ROLES, "coder, reviewer, security …, in alphabetical order"),
    F_END
};

OP_CALL(AGENT_ROLES_GET, struct thing_key, struct agent_roles, agent_roles_get(c, in->id, out),
        .name = "agent.roles", .method = "GET", .path = "/api/v1/agents/:id/roles", .tag = TAG,
        .summary = "Lists the work roles of an agent.", .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_KEY(AGENT), OP_OUT(AGENT_ROLES_OUT, struct agent_roles));

static const struct field AGENT_ROLES_IN[] = {
    F_UUID(struct agent_roles, id, FIELD_REQUIRED | FIELD_AGENT, "id of the agent"),
    F_STRS(struct agent_roles, roles, FIELD_REQUIRED | FIELD_SLUG, LIMIT_ROLES, "all its work roles; replaces the current ones"),
    F_END
};

OP_CALL(AGENT_ROLES_SET, struct agent_roles, struct agent_roles, agent_roles_set(c, in, out),
        .name = "agent.set_roles", .method = "PUT", .path = "/api/v1/agents/:id/roles", .tag = TAG,
        .summary = "Sets the work roles of an agent.",
        .help = "Work roles open memory domains and say which policies an agent may write; permissions come from the agent's role.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_IDEMPOTENT, OP_IN(AGENT_ROLES_IN, struct agent_roles), OP_OUT(AGENT_ROLES_OUT, struct agent_roles));

/* ---- keys */

static const struct field KEY_OUT[] = {
    F_UUID(struct agent_key, id, 0, "id"),
    F_UUID(struct agent_key, agent_id, 0, "the agent"),
    F_STR(struct agent_key, name, 0, 0, 0, "display name"),
    F_STR(struct agent_key, public_key, 0, 0, 0, "Ed25519 public key as base64url"),
    F_TIME(struct agent_key, valid_from, 0, "start of validity"),
    F_TIME(struct agent_key, valid_to, FIELD_NULLABLE, "end of validity"),
    F_TIME(struct agent_key, revoked_at, FIELD_NULLABLE, "when it was revoked"),
    F_TIME(struct agent_key, created_at, 0, "when it was added"),
    F_END
};

struct key_list_in {
    struct uuid id;
    int64_t limit;
    const char *cursor;
};

static const struct field KEY_LIST_IN[] = {
    F_UUID(struct key_list_in, id, FIELD_REQUIRED | FIELD_AGENT, "id of the agent"),
    F_PAGE(struct key_list_in),
    F_END
};

static err key_list(struct ctx *c, const void *in, void *out)
{
    const struct key_list_in *i = in;

    return agent_key_list(c, i->id, i->limit, i->cursor, out);
}

static const struct op AGENT_KEY_LIST = {
    .name = "agent.keys", .method = "GET", .path = "/api/v1/agents/:id/keys", .tag = TAG,
    .summary = "Lists the public keys of an agent, newest first.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(KEY_LIST_IN, struct key_list_in), OP_OUT(KEY_OUT, struct agent_key), .run = key_list,
};

struct key_add_in {
    struct uuid id;
    const char *name, *public_key;
    struct instant valid_from, valid_to;
};

static const struct field KEY_ADD_IN[] = {
    F_UUID(struct key_add_in, id, FIELD_REQUIRED | FIELD_AGENT, "id of the agent"),
    F_STR(struct key_add_in, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct key_add_in, public_key, FIELD_REQUIRED, 43, 64, "Ed25519 public key: 32 bytes as base64url or hex"),
    F_TIME(struct key_add_in, valid_from, FIELD_NULLABLE, "start of validity; default: now"),
    F_TIME(struct key_add_in, valid_to, FIELD_NULLABLE, "end of validity"),
    F_END
};

static err key_add(struct ctx *c, const void *in, void *out)
{
    const struct key_add_in *i = in;
    struct agent_key_new n = {i->name, i->public_key, i->valid_from, i->valid_to};

    return agent_key_add(c, i->id, &n, out);
}

static const struct op AGENT_KEY_ADD = {
    .name = "agent.add_key", .method = "POST", .path = "/api/v1/agents/:id/keys", .tag = TAG,
    .summary = "Adds a public key to check the agent's signatures.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES,
    OP_IN(KEY_ADD_IN, struct key_add_in), OP_OUT(KEY_OUT, struct agent_key), .run = key_add,
};

struct key_revoke_in {
    struct uuid id, key_id;
};

static const struct field KEY_REVOKE_IN[] = {
    F_UUID(struct key_revoke_in, id, FIELD_REQUIRED | FIELD_AGENT, "id of the agent"),
    F_UUID(struct key_revoke_in, key_id, FIELD_REQUIRED, "id of the key"),
    F_END
};

static err key_revoke(struct ctx *c, const void *in, void *out)
{
    const struct key_revoke_in *i = in;

    (void)out;
    return agent_key_revoke(c, i->id, i->key_id);
}

static const struct op AGENT_KEY_REVOKE = {
    .name = "agent.revoke_key", .method = "DELETE", .path = "/api/v1/agents/:id/keys/:key_id", .tag = TAG,
    .summary = "Revokes a public key; earlier signatures stay valid.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_NO_BODY,
    OP_IN(KEY_REVOKE_IN, struct key_revoke_in), .run = key_revoke,
};

const struct op *const agent_calls_table[] = {&AGENT_LIST, &AGENT_GET, &AGENT_CREATE, &AGENT_UPDATE, &AGENT_ARCHIVE, &AGENT_ROLES_GET,
                                              &AGENT_ROLES_SET, &AGENT_KEY_LIST, &AGENT_KEY_ADD, &AGENT_KEY_REVOKE, NULL};
