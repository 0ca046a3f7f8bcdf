/* Operations: who am I, and the account. */
#include "account.h"
#include "graph_calls.h"
#include "principal.h"

#define TAG "account"

/* ---- GET /me */

struct me {
    enum principal_kind kind;
    struct uuid id, account_id, token_id;
    const char *account, *name, *email, *role;
    bool is_operator;
    struct strs permissions;
    int64_t spaces;
};

static const struct field ME_OUT[] = {
    F_ENUM(struct me, kind, 0, principal_kind, 0, "kind of caller: user, agent or system"),
    F_UUID(struct me, id, FIELD_NULLABLE, "id of the user or agent"),
    F_STR(struct me, name, 0, 0, 0, "name of the user or agent"),
    F_STR(struct me, email, FIELD_NULLABLE, 0, 0, "e-mail address; users only"),
    F_STR(struct me, role, 0, 0, 0, "role of the caller"),
    F_UUID(struct me, account_id, 0, "the account"),
    F_STR(struct me, account, 0, 0, 0, "slug of the account"),
    F_UUID(struct me, token_id, FIELD_NULLABLE, "token this request came with; null for a browser session"),
    F_BOOL(struct me, is_operator, 0, 0, "operator: may manage jobs and settings of the installation"),
    F_STRS(struct me, permissions, 0, 0, "permissions of the caller: those of its role within the token's scopes"),
    F_INT(struct me, spaces, 0, 0, 0, 0, "number of spaces the caller can read"),
    F_END
};

static err me(struct ctx *c, const void *in, void *out)
{
    const struct principal *w = c->who;

    (void)in;
    *(struct me *)out = (struct me){
        .kind = w->kind, .id = w->id, .account_id = w->account_id, .token_id = w->token_id, .account = w->account_slug,
        .name = w->name, .email = w->email, .role = w->role, .is_operator = w->is_operator,
        .permissions = permissions_strs(c->arena, w->perms), .spaces = (int64_t)c->access->n};
    return ERR_OK;
}

static const struct op ME_GET = {
    .name = "me.get", .method = "GET", .path = "/api/v1/me", .tool = "whoami", .tag = TAG,
    .summary = "Returns the caller of this token or session, and its permissions.",
    .flags = OP_READONLY | OP_IDEMPOTENT | OP_OPEN, OP_OUT(ME_OUT, struct me), .run = me,
};

/* ---- the account */

static const struct field ACCOUNT_OUT[] = {
    F_UUID(struct account, id, 0, "id"),
    F_STR(struct account, slug, 0, 0, 0, "slug, unique in the installation"),
    F_STR(struct account, name, 0, 0, 0, "display name"),
    F_ENUM(struct account, status, 0, account_status, 0, "status of the account"),
    F_OBJECT(struct account, settings, 0, LIMIT_SETTINGS, "settings that differ from the defaults"),
    F_INT(struct account, version, 0, 0, 0, 0, "version; increases with every change; the ETag"),
    F_TIME(struct account, created_at, 0, "when it was created"),
    F_TIME(struct account, updated_at, 0, "when it was last changed"),
    F_END
};

OP_CALL(ACCOUNT_GET, void, struct account, account_get(c, out),
        .name = "account.get", .method = "GET", .path = "/api/v1/account", .tag = TAG,
        .summary = "Returns the caller's account.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_OUT(ACCOUNT_OUT, struct account));

struct update_in {
    struct given given;
    const char *name;
    const struct json *settings;
};

static const struct field UPDATE_IN[] = {
    F_STR(struct update_in, name, 0, 1, LIMIT_NAME, "display name"),
    F_OBJECT(struct update_in, settings, 0, LIMIT_SETTINGS, "merged into the settings; null removes one (RFC 7396)"),
    F_END
};

static err account_call_update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct account_patch p = {.if_version = c->if_match, .name = i->name, .settings = i->settings};

    p.set = (given(i, name) ? ACCOUNT_SET_NAME : 0) | (given(i, settings) ? ACCOUNT_SET_SETTINGS : 0);
    return account_update(c, &p, out);
}

static const struct op ACCOUNT_UPDATE = {
    .name = "account.update", .method = "PATCH", .path = "/api/v1/account", .tag = TAG,
    .summary = "Rename the account or change its settings.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH | OP_NEEDS_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(ACCOUNT_OUT, struct account), .run = account_call_update,
};

const struct op *const account_calls_table[] = {&ME_GET, &ACCOUNT_GET, &ACCOUNT_UPDATE, NULL};
