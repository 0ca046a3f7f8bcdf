/* Operations on users. */
#include "graph_calls.h"
#include "user.h"

#define TAG "users"

/* A status that was not said: any in a filter, the old one in a change. */
#define USER_STATUS_ASKED(X) X(USER_STATUS_UNSAID, "") X(USER_STATUS_ACTIVE, "active") X(USER_STATUS_DISABLED, "disabled")
ENUMX_DECLARE(user_status_asked, USER_STATUS_ASKED);
ENUMX_DEFINE(user_status_asked, USER_STATUS_ASKED);

static const struct field USER_OUT[] = {
    F_UUID(struct user, id, 0, "id"),
    F_STR(struct user, email, 0, 0, 0, "e-mail address, unique in the account"),
    F_STR(struct user, name, 0, 0, 0, "display name"),
    F_STR(struct user, role, 0, 0, 0, "role; sets the user's permissions"),
    F_ENUM(struct user, status, 0, user_status, 0, "disabled users cannot log in, and their tokens do not work"),
    F_BOOL(struct user, is_operator, 0, 0, "operator: may manage jobs and settings of the installation"),
    F_BOOL(struct user, has_password, 0, 0, "whether a password is set; without one the user cannot log in"),
    F_TIME(struct user, last_login_at, FIELD_NULLABLE, "last successful login"),
    F_INT(struct user, version, 0, 0, 0, 0, "version; increases with every change; the ETag"),
    F_TIME(struct user, created_at, 0, "when it was created"),
    F_TIME(struct user, updated_at, 0, "when it was last changed"),
    F_END
};

struct by_id {
    struct uuid id;
};

static const struct field BY_ID[] = {
    F_UUID(struct by_id, id, FIELD_REQUIRED, "id of the user"),
    F_END
};

/* ---- list and get */

struct list_in {
    enum user_status_asked status;
    const char *role, *q, *cursor;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_ENUM(struct list_in, status, 0, user_status_asked, USER_STATUS_UNSAID, "only users of this status"),
    F_STR(struct list_in, role, FIELD_SLUG, 1, 64, "only users of this role"),
    F_STR(struct list_in, q, 0, 1, LIMIT_NAME, "only users whose name or e-mail contains this"),
    F_PAGE(struct list_in),
    F_END
};

static err list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;
    struct user_filter f = {.status = (int)i->status - 1, .role = i->role, .q = i->q, .limit = i->limit,
                            .cursor = i->cursor};

    return user_list(c, &f, out);
}

static const struct op LIST = {
    .name = "user.list", .method = "GET", .path = "/api/v1/users", .tag = TAG,
    .summary = "Lists the users of the account, newest first.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(USER_OUT, struct user), .run = list,
};

static err get(struct ctx *c, const void *in, void *out)
{
    return user_get(c, ((const struct by_id *)in)->id, out);
}

static const struct op GET = {
    .name = "user.get", .method = "GET", .path = "/api/v1/users/:id", .tag = TAG,
    .summary = "Returns one user.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
    OP_IN(BY_ID, struct by_id), OP_OUT(USER_OUT, struct user), .run = get,
};

/* ---- create, update, delete */

struct create_in {
    const char *email, *name, *role, *password;
};

static const struct field CREATE_IN[] = {
    F_STR(struct create_in, email, FIELD_REQUIRED | FIELD_EMAIL, 3, LIMIT_EMAIL, "e-mail address, unique in the account"),
    F_STR(struct create_in, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct create_in, role, FIELD_REQUIRED, 1, 64, "owner, admin, editor, reviewer, viewer or a role of the account"),
    F_STR(struct create_in, password, FIELD_SECRET | FIELD_RAW, LIMIT_PASSWORD_MIN, LIMIT_PASSWORD,
          "first password; without one the user cannot log in"),
    F_END
};

static err create(struct ctx *c, const void *in, void *out)
{
    const struct create_in *i = in;
    struct user_new n = {.email = i->email, .name = i->name, .role = i->role, .password = i->password};

    return user_create(c, &n, out);
}

static const struct op CREATE = {
    .name = "user.create", .method = "POST", .path = "/api/v1/users", .tag = TAG,
    .summary = "Creates a user.", .help = "You cannot assign a role with permissions that you do not have.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG,
    OP_IN(CREATE_IN, struct create_in), OP_OUT(USER_OUT, struct user), .run = create,
};

struct update_in {
    struct given given;
    struct uuid id;
    const char *email, *name, *role;
    enum user_status_asked status;
};

static const struct field UPDATE_IN[] = {
    F_UUID(struct update_in, id, FIELD_REQUIRED, "id of the user"),
    F_STR(struct update_in, email, FIELD_EMAIL, 3, LIMIT_EMAIL, "e-mail address, unique in the account"),
    F_STR(struct update_in, name, 0, 1, LIMIT_NAME, "display name"),
    F_STR(struct update_in, role, 0, 1, 64, "role; sessions end when it changes"),
    F_ENUM(struct update_in, status, 0, user_status_asked, USER_STATUS_UNSAID, "status; disabled users are refused at once"),
    F_END
};

static err update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct user_patch p = {.if_version = c->if_match, .email = i->email, .name = i->name, .role = i->role};

    p.set = (given(i, email) ? USER_SET_EMAIL : 0) | (given(i, name) ? USER_SET_NAME : 0) |
            (given(i, role) ? USER_SET_ROLE : 0) | (given(i, status) ? USER_SET_STATUS : 0);
    p.status = i->status == USER_STATUS_DISABLED ? USER_DISABLED : USER_ACTIVE;
    return user_update(c, i->id, &p, out);
}

static const struct op UPDATE = {
    .name = "user.update", .method = "PATCH", .path = "/api/v1/users/:id", .tag = TAG,
    .summary = "Changes a user's name, e-mail, role or status.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(USER_OUT, struct user), .run = update,
};

static err delete(struct ctx *c, const void *in, void *out)
{
    (void)out;
    return user_delete(c, ((const struct by_id *)in)->id, c->if_match);
}

static const struct op DELETE = {
    .name = "user.delete", .method = "DELETE", .path = "/api/v1/users/:id", .tag = TAG,
    .summary = "Deletes a user with their sessions, tokens and grants.",
    .help = "Content written by the user stays. The last owner of an account cannot be deleted.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
    OP_IN(BY_ID, struct by_id), .run = delete,
};

/* ---- password */

struct password_in {
    struct uuid id;
    const char *old_password, *new_password;
};

static const struct field PASSWORD_IN[] = {
    F_UUID(struct password_in, id, FIELD_REQUIRED, "id of the user"),
    F_STR(struct password_in, old_password, FIELD_SECRET | FIELD_RAW, 0, LIMIT_PASSWORD,
          "current password; required for your own"),
    F_STR(struct password_in, new_password, FIELD_REQUIRED | FIELD_SECRET | FIELD_RAW, LIMIT_PASSWORD_MIN, LIMIT_PASSWORD,
          "new password"),
    F_END
};

static err password(struct ctx *c, const void *in, void *out)
{
    const struct password_in *i = in;

    (void)out;
    return user_set_password(c, i->id, i->old_password, i->new_password);
}

static const struct op PASSWORD = {
    .name = "user.password", .method = "POST", .path = "/api/v1/users/:id/password", .tag = TAG,
    .summary = "Sets your password, or with account.manage that of another user.",
    .help = "Ends all browser sessions of the user.",
    .flags = OP_OPEN | OP_NO_BODY, OP_IN(PASSWORD_IN, struct password_in), .run = password,
};

const struct op *const user_calls_table[] = {&LIST, &GET, &CREATE, &UPDATE, &DELETE, &PASSWORD, NULL};
