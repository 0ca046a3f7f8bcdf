/* Operations on users. */
#include "people_calls.h"
#include "user.h"

#define TAG "users"

static const struct field USER_FILTER[] = {
    F_ENUM(struct user_filter, status, FIELD_UNSAID, user_status, -1, "only users of this status"),
    F_STR(struct user_filter, role, FIELD_SLUG, 1, 64, "only users of this role"),
    F_STR(struct user_filter, q, 0, 1, LIMIT_NAME, "only users whose name or e-mail contains this"),
    F_PAGE(struct user_filter),
    F_END
};

OP_CALL(USER_LIST, struct user_filter, struct page, user_list(c, in, out),
        .name = "user.list", .method = "GET", .path = "/api/v1/users", .tag = TAG, .summary = "Lists the users of the account, newest first.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(USER_FILTER, struct user_filter), OP_GIVE(USER, struct user));

OP_CALL(USER_GET, struct thing_key, struct user, user_get(c, in->id, out),
        .name = "user.get", .method = "GET", .path = "/api/v1/users/:id", .tag = TAG, .summary = "Returns one user.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(USER), OP_GIVE(USER, struct user));

OP_CALL(USER_CREATE, struct user, struct user, user_create(c, in, out),
        .name = "user.create", .method = "POST", .path = "/api/v1/users", .tag = TAG, .summary = "Creates a user.",
        .help = "You cannot assign a role with permissions that you do not have.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(USER, struct user), OP_GIVE(USER, struct user));

OP_CALL(USER_UPDATE, struct user_change, struct user, user_update(c, in, out),
        .name = "user.update", .method = "PATCH", .path = "/api/v1/users/:id", .tag = TAG,
        .summary = "Changes a user's name, e-mail, role or status.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH, OP_CHANGE(USER, struct user_change), OP_GIVE(USER, struct user));

OP_CALL(USER_DELETE, struct thing_key, void, user_delete(c, in),
        .name = "user.delete", .method = "DELETE", .path = "/api/v1/users/:id", .tag = TAG,
        .summary = "Deletes a user with their sessions, tokens and grants.",
        .help = "Content written by the user stays. The last owner of an account cannot be deleted.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY, OP_KEY(USER));

static const struct field USER_PASSWORD_IN[] = {
    F_UUID(struct user_password, id, FIELD_REQUIRED, "id of the user"),
    F_STR(struct user_password, old_password, FIELD_SECRET | FIELD_RAW, 0, LIMIT_PASSWORD, "current password; required for your own"),
    F_STR(struct user_password, new_password, FIELD_REQUIRED | FIELD_SECRET | FIELD_RAW, LIMIT_PASSWORD_MIN, LIMIT_PASSWORD, "new password"),
    F_END
};

OP_CALL(USER_PASSWORD, struct user_password, void, user_set_password(c, in),
        .name = "user.password", .method = "POST", .path = "/api/v1/users/:id/password", .tag = TAG,
        .summary = "Sets your password, or with account.manage that of another user.", .help = "Ends all browser sessions of the user.",
        .flags = OP_OPEN | OP_NO_BODY, OP_IN(USER_PASSWORD_IN, struct user_password));

const struct op *const user_calls_table[] = {&USER_LIST, &USER_GET, &USER_CREATE, &USER_UPDATE, &USER_DELETE, &USER_PASSWORD, NULL};
