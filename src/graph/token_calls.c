/* Operations on tokens. */
#include "graph_calls.h"
#include "token.h"

#define TAG "tokens"

#define TOKEN_FIELDS \
    F_UUID(struct token, id, 0, "id"), \
    F_UUID(struct token, user_id, FIELD_NULLABLE, "owner, when a person"), \
    F_UUID(struct token, agent_id, FIELD_NULLABLE, "owner, when an agent"), \
    F_STR(struct token, name, 0, 0, 0, "what it is used for"), \
    F_STR(struct token, prefix, 0, 0, 0, "the part of it that is no secret"), \
    F_STRS(struct token, scopes, FIELD_NULLABLE, 0, "permissions it is limited to; null: all of its owner"), \
    F_TIME(struct token, expires_at, FIELD_NULLABLE, "not valid from here on"), \
    F_TIME(struct token, revoked_at, FIELD_NULLABLE, "when it was revoked"), \
    F_TIME(struct token, last_used_at, FIELD_NULLABLE, "last use, to the minute"), \
    F_STR(struct token, last_ip, FIELD_NULLABLE, 0, 0, "address of the last use"), \
    F_ENUM(struct token, toolset, 0, toolset, TOOLSET_CORE, "MCP tools that its client is shown: core or full"), \
    F_TIME(struct token, created_at, 0, "when it was made")

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
    F_BOOL(struct list_in, with_revoked, 0, 0, "revoked ones, too"),
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
    .summary = "One's own tokens, or with account.manage all of the account; newest first.",
    .flags = OP_OPEN | OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(TOKEN_OUT, struct token), .run = list,
};

static err get(struct ctx *c, const void *in, void *out)
{
    return token_get(c, ((const struct by_id *)in)->id, out);
}

static const struct op GET = {
    .name = "token.get", .method = "GET", .path = "/api/v1/tokens/:id", .tag = TAG,
    .summary = "One token, without its secret.",
    .flags = OP_OPEN | OP_READONLY | OP_IDEMPOTENT,
    OP_IN(BY_ID, struct by_id), OP_OUT(TOKEN_OUT, struct token), .run = get,
};

/* ---- create and revoke */

static const struct field CREATE_IN[] = {
    F_STR(struct token_new, name, FIELD_REQUIRED, 1, LIMIT_NAME, "what it is used for"),
    F_UUID(struct token_new, user_id, FIELD_NULLABLE, "owner, when a person; oneself unless said otherwise"),
    F_UUID(struct token_new, agent_id, FIELD_NULLABLE, "owner, when an agent"),
    F_STRS(struct token_new, scopes, FIELD_NULLABLE, LIMIT_SCOPES,
           "permissions, or areas such as memory.*; left out or null: all of its owner"),
    F_TIME(struct token_new, expires_at, FIELD_NULLABLE, "not valid from here on; none: until it is revoked"),
    F_ENUM(struct token_new, toolset, 0, toolset, TOOLSET_CORE, "MCP tools that its client is shown. core: fifteen, with short answers in words. full: all that it may call, with data"),
    F_END
};

static const struct field CREATE_OUT[] = {
    TOKEN_FIELDS,
    F_STR(struct token, secret, FIELD_SECRET, 0, 0, "the token itself: shown now and never again"),
    F_END
};

/* An empty list reads like "nothing", and would give everything. */
static err create(struct ctx *c, const void *in, void *out)
{
    const struct token_new *i = in;

    if (i->scopes.v && !i->scopes.n)
        return fail_field(c, "/scopes", "name at least one scope, or leave scopes out for all that the owner may");
    return token_create(c, i, out);
}

static const struct op CREATE = {
    .name = "token.create", .method = "POST", .path = "/api/v1/tokens", .tag = TAG,
    .summary = "Make a token for oneself, or with account.manage for an agent or another user.",
    .help = "The answer holds the token; only a hash of it is kept, so it cannot be shown again. A token never gives more "
            "than its maker has, and never outlives the token it was made with.",
    .flags = OP_OPEN | OP_CREATES, OP_IN(CREATE_IN, struct token_new), OP_OUT(CREATE_OUT, struct token), .run = create,
};

static err revoke(struct ctx *c, const void *in, void *out)
{
    (void)out;
    return token_revoke(c, ((const struct by_id *)in)->id);
}

static const struct op REVOKE = {
    .name = "token.revoke", .method = "DELETE", .path = "/api/v1/tokens/:id", .tag = TAG,
    .summary = "Revoke a token: it stops working with the next request, everywhere.",
    .flags = OP_OPEN | OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_NO_BODY, OP_IN(BY_ID, struct by_id), .run = revoke,
};

const struct op *const token_calls_table[] = {&LIST, &GET, &CREATE, &REVOKE, NULL};
