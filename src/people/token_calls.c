/* Operations on tokens. */
#include "people_calls.h"
#include "token.h"

#define TAG "tokens"

static const struct field TOKEN_FILTER[] = {
    F_UUID(struct token_filter, user_id, FIELD_NULLABLE, "only tokens of this user"),
    F_UUID(struct token_filter, agent_id, FIELD_NULLABLE, "only tokens of this agent"),
    F_BOOL(struct token_filter, with_revoked, 0, 0, "include revoked tokens"),
    F_PAGE(struct token_filter),
    F_END
};

OP_CALL(TOKEN_LIST, struct token_filter, struct page, token_list(c, in, out),
        .name = "token.list", .method = "GET", .path = "/api/v1/tokens", .tag = TAG,
        .summary = "Lists your tokens, or with account.manage all of the account, newest first.",
        .flags = OP_OPEN | OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(TOKEN_FILTER, struct token_filter), OP_GIVE(TOKEN, struct token));

OP_CALL(TOKEN_GET, struct thing_key, struct token, token_get(c, in->id, out),
        .name = "token.get", .method = "GET", .path = "/api/v1/tokens/:id", .tag = TAG, .summary = "Returns one token, without its secret.",
        .flags = OP_OPEN | OP_READONLY | OP_IDEMPOTENT, OP_KEY(TOKEN), OP_GIVE(TOKEN, struct token));

/* An empty list reads like "nothing", and would give everything. */
static err token_create_asked(struct ctx *c, const struct token *in, struct token *out)
{
    if (in->scopes.v && !in->scopes.n)
        return fail_field(c, "/scopes", "give at least one scope, or omit scopes for all permissions of the owner");
    return token_create(c, in, out);
}

OP_CALL(TOKEN_CREATE, struct token, struct token, token_create_asked(c, in, out),
        .name = "token.create", .method = "POST", .path = "/api/v1/tokens", .tag = TAG,
        .summary = "Creates a token for yourself, or with account.manage for an agent or another user.",
        .help = "The answer contains the token; only a hash is stored, so it cannot be shown again. A token never has more permissions than its "
                "creator and never expires later than the token it was created with.",
        .flags = OP_OPEN | OP_CREATES, OP_MAKE(TOKEN, struct token), OP_GIVE(TOKEN, struct token));

OP_CALL(TOKEN_REVOKE, struct thing_key, void, token_revoke(c, in),
        .name = "token.revoke", .method = "DELETE", .path = "/api/v1/tokens/:id", .tag = TAG,
        .summary = "Revokes a token: it stops working with the next request, on all hosts.",
        .flags = OP_OPEN | OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_NO_BODY, OP_KEY(TOKEN));

const struct op *const token_calls_table[] = {&TOKEN_LIST, &TOKEN_GET, &TOKEN_CREATE, &TOKEN_REVOKE, NULL};
