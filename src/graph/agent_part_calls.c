/* Operations on the parts that agents play, and on their public keys. */
#include "agent.h"
#include "agent_calls.h"

#define TAG "agents"

/* ---- parts */

struct parts_out {
    struct strs roles;
};

static const struct field PARTS_OUT[] = {
    F_STRS(struct parts_out, roles, 0, LIMIT_ROLES, "coder, reviewer, security …, in alphabetical order"),
    F_END
};

static err roles_get(struct ctx *c, const void *in, void *out)
{
    return agent_roles(c, ((const struct agent_by_id *)in)->id, &((struct parts_out *)out)->roles);
}

const struct op AGENT_ROLES_GET = {
    .name = "agent.roles", .method = "GET", .path = "/api/v1/agents/:id/roles", .tag = TAG,
    .summary = "Lists the work roles of an agent.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
    OP_IN(AGENT_BY_ID, struct agent_by_id), OP_OUT(PARTS_OUT, struct parts_out), .run = roles_get,
};

struct parts_in {
    struct uuid id;
    struct strs roles;
};

static const struct field PARTS_IN[] = {
    F_UUID(struct parts_in, id, FIELD_REQUIRED | FIELD_AGENT, "id of the agent"),
    F_STRS(struct parts_in, roles, FIELD_REQUIRED | FIELD_SLUG, LIMIT_ROLES, "all its work roles; replaces the current ones"),
    F_END
};

static err roles_set(struct ctx *c, const void *in, void *out)
{
    const struct parts_in *i = in;

    return agent_set_roles(c, i->id, i->roles, &((struct parts_out *)out)->roles);
}

const struct op AGENT_ROLES_SET = {
    .name = "agent.set_roles", .method = "PUT", .path = "/api/v1/agents/:id/roles", .tag = TAG,
    .summary = "Sets the work roles of an agent.",
    .help = "Work roles are labels for people and policies; permissions come from the agent's role.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_IDEMPOTENT,
    OP_IN(PARTS_IN, struct parts_in), OP_OUT(PARTS_OUT, struct parts_out), .run = roles_set,
};

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

const struct op AGENT_KEY_LIST = {
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

const struct op AGENT_KEY_ADD = {
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

const struct op AGENT_KEY_REVOKE = {
    .name = "agent.revoke_key", .method = "DELETE", .path = "/api/v1/agents/:id/keys/:key_id", .tag = TAG,
    .summary = "Revokes a public key; earlier signatures stay valid.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_NO_BODY,
    OP_IN(KEY_REVOKE_IN, struct key_revoke_in), .run = key_revoke,
};
