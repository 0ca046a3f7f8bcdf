/* Operations on tokens. */
#include "graph_calls.h"
#include "token.h"

#define TAG "tokens"

#define TOKEN_FIELDS \
    F_UUID(struct token, id, 0, "id"), \
    F_UUID(struct token, user_id, FIELD_NULLABLE, "owner, if a user"), \
    F_UUID(struct token, agent_id, FIELD_NULLABLE, "owner, if an agent"), \
    F_STR(struct token, name, 0, 0, 0, "purpose"), \
    F_STR(struct token, prefix, 0, 0, 0, "public part of the token"), \
    F_STRS(struct token, scopes, FIELD_NULLABLE, 0, "scopes; null: all permissions of its owner"), \
    F_TIME(struct token, expires_at, FIELD_NULLABLE, "expiry time"), \
    F_TIME(struct token, revoked_at, FIELD_NULLABLE, "when it was revoked"), \
    F_TIME(struct token, last_used_at, FIELD_NULLABLE, "last use, to the minute"), \
    F_STR(struct token, last_ip, FIELD_NULLABLE, 0, 0, "IP address of the last use"), \
    F_ENUM(struct token, toolset, 0, toolset, TOOLSET_CORE, "MCP tools shown to the client: core or full"), \
    F_TIME(struct token, created_at, 0, "when it was created")

static const struct field TOKEN_OUT[] = {TOKEN_FIELDS, F_END};

struct by_id {
    struct uuid id;
};

static const struct field BY_ID[] = {
    F_UUID(struct by_id, id, FIELD_REQUIRED, "id of the token"),
    F_END
};

/* ---- list and get */

struct list_in {
    struct uuid user_id, agent_id;
    bool with_revoked;
    int64_t limit;
    const char *cursor;
};

static const struct field LIST_IN[] = {
    F_UUID(struct list_in, user_id, FIELD_NULLABLE, "only tokens of this user"),
    F_UUID(struct list_in, agent_id, FIELD_NULLABLE, "only tokens of this agent"),
    F_BOOL(struct list_in, with_revoked, 0, 0, "include revoked tokens"),
    F_PAGE(struct list_in),
    F_END
};

static err list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;
    struct token_filter f = {.user_id = i->user_id, .agent_id = i->agent_id, .with_revoked = i->with_revoked,
                             .limit = i->limit, .cursor = i->cursor};

    return token_list(c, &f, out);
}

static const struct op LIST = {
    .name = "token.list", .method = "GET", .path = "/api/v1/tokens", .tag = TAG,
    .summary = "Lists your tokens, or with account.manage all of the account, newest first.",
    .flags = OP_OPEN | OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(TOKEN_OUT, struct token), .run = list,
};

static err get(struct ctx *c, const void *in, void *out)
{
    return token_get(c, ((const struct by_id *)in)->id, out);
}

static const struct op GET = {
    .name = "token.get", .method = "GET", .path = "/api/v1/tokens/:id", .tag = TAG,
    .summary = "Returns one token, without its secret.",
    .flags = OP_OPEN | OP_READONLY | OP_IDEMPOTENT,
    OP_IN(BY_ID, struct by_id), OP_OUT(TOKEN_OUT, struct token), .run = get,
};

/* ---- create and revoke */

static const struct field CREATE_IN[] = {
    F_STR(struct token_new, name, FIELD_REQUIRED, 1, LIMIT_NAME, "purpose"),
    F_UUID(struct token_new, user_id, FIELD_NULLABLE, "owner, if a user; default: the caller"),
    F_UUID(struct token_new, agent_id, FIELD_NULLABLE, "owner, if an agent"),
    F_STRS(struct token_new, scopes, FIELD_NULLABLE, LIMIT_SCOPES,
           "scopes: permissions, or areas such as memory.*; null: all permissions of its owner"),
    F_TIME(struct token_new, expires_at, FIELD_NULLABLE, "expiry time; none: valid until revoked"),
    F_ENUM(struct token_new, toolset, 0, toolset, TOOLSET_CORE, "MCP tools shown to the client. core: fifteen tools with short text answers. "
                                                                "full: all tools the token may call, with structured answers"),
    F_END
};

static const struct field CREATE_OUT[] = {
    TOKEN_FIELDS,
    F_STR(struct token, secret, FIELD_SECRET, 0, 0, "the token; shown only once"),
    F_END
};

/* An empty list reads like "nothing", and would give everything. */
static err create(struct ctx *c, const void *in, void *out)
{
    const struct token_new *i = in;

    if (i->scopes.v && !i->scopes.n)
        return fail_field(c, "/scopes", "give at least one scope, or omit scopes for all permissions of the owner");
    return token_create(c, i, out);
}

static const struct op CREATE = {
    .name = "token.create", .method = "POST", .path = "/api/v1/tokens", .tag = TAG,
    .summary = "Creates a token for yourself, or with account.manage for an agent or another user.",
    .help = "The answer contains the token; only a hash is stored, so it cannot be shown again. A token never has more permissions than its "
            "creator and never expires later than the token it was created with.",
    .flags = OP_OPEN | OP_CREATES, OP_IN(CREATE_IN, struct token_new), OP_OUT(CREATE_OUT, struct token), .run = create,
};

static err revoke(struct ctx *c, const void *in, void *out)
{
    (void)out;
    return token_revoke(c, ((const struct by_id *)in)->id);
}

static const struct op REVOKE = {
    .name = "token.revoke", .method = "DELETE", .path = "/api/v1/tokens/:id", .tag = TAG,
    .summary = "Revokes a token: it stops working with the next request, on all hosts.",
    .flags = OP_OPEN | OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_NO_BODY, OP_IN(BY_ID, struct by_id), .run = revoke,
};

const struct op *const token_calls_table[] = {&LIST, &GET, &CREATE, &REVOKE, NULL};
