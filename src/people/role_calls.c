/* Operations on roles. */
#include "people_calls.h"
#include "role.h"

#define TAG "roles"

static const struct field ROLE_OUT[] = {
    F_STR(struct role, name, 0, 0, 0, "name, unique in the account"),
    F_ENUM(struct role, kind, 0, role_kind, 0, "for users or for agents"),
    F_STR(struct role, description, 0, 0, 0, "purpose"),
    F_BOOL(struct role, built_in, 0, 0, "built in; an account can add permissions"),
    F_STRS(struct role, permissions, 0, 0, "permissions of the role"),
    F_END
};

/* Not a page: there are few, and people want to see them side by side. */
struct role_list {
    struct list roles;
    struct strs permissions;
};

static const struct field ROLE_LIST_OUT[] = {
    F_LIST(struct role_list, roles, 0, 0, ROLE_OUT, struct role, "built-in roles and the account's own, by name"),
    F_STRS(struct role_list, permissions, 0, 0, "all permissions that exist"),
    F_END
};

static err role_list_all(struct ctx *c, struct role_list *out)
{
    struct role *roles;

    TRY(role_list(c, &roles, &out->roles.n));
    out->roles.v = roles;
    out->permissions = permissions_strs(c->arena, permissions_all());
    return ERR_OK;
}

OP_CALL(ROLE_LIST, void, struct role_list, role_list_all(c, out),
        .name = "role.list", .method = "GET", .path = "/api/v1/roles", .tag = TAG, .summary = "Lists the roles with their permissions.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT, OP_OUT(ROLE_LIST_OUT, struct role_list));

/* Every string is a permission or an area: "memory.read", "memory.*". */
static err role_asked(struct ctx *c, const struct role *in, err (*service)(struct ctx *c, const struct role *r, struct role *out),
                      struct role *out)
{
    struct role r = *in;
    size_t bad;

    if (!permissions_parse(r.permissions, &r.perms, &bad))
        return fail_field(c, arena_printf(c->arena, "/permissions/%zu", bad), "no such permission");
    return service(c, &r, out);
}

static const struct field ROLE_CREATE_IN[] = {
    F_STR(struct role, name, FIELD_REQUIRED | FIELD_SLUG, 1, 64, "name, unique in the account"),
    F_ENUM(struct role, kind, 0, role_kind, ROLE_OF_USER, "for users or for agents"),
    F_STR(struct role, description, 0, 0, LIMIT_NAME, "purpose"),
    F_STRS(struct role, permissions, FIELD_REQUIRED, LIMIT_SCOPES, "permissions, or areas such as memory.*"),
    F_END
};

OP_CALL(ROLE_CREATE, struct role, struct role, role_asked(c, in, role_create, out),
        .name = "role.create", .method = "POST", .path = "/api/v1/roles", .tag = TAG, .summary = "Creates a role of the account.",
        .help = "It can contain only permissions that the caller has.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES, OP_IN(ROLE_CREATE_IN, struct role), OP_OUT(ROLE_OUT, struct role));

static const struct field ROLE_SET_IN[] = {
    F_STR(struct role, name, FIELD_REQUIRED | FIELD_SLUG, 1, 64, "name of the role"),
    F_STRS(struct role, permissions, FIELD_REQUIRED, LIMIT_SCOPES, "permissions, or areas such as memory.*"),
    F_END
};

OP_CALL(ROLE_SET, struct role, struct role, role_asked(c, in, role_set_permissions, out),
        .name = "role.set_permissions", .method = "PUT", .path = "/api/v1/roles/:name/permissions", .tag = TAG,
        .summary = "Sets the permissions of a role.",
        .help = "A role of the account gets exactly these permissions. A built-in role keeps its own and gets these in addition.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_IDEMPOTENT, OP_IN(ROLE_SET_IN, struct role), OP_OUT(ROLE_OUT, struct role));

static const struct field ROLE_NAME_IN[] = {
    F_STR(struct role, name, FIELD_REQUIRED | FIELD_SLUG, 1, 64, "name of the role"),
    F_END
};

OP_CALL(ROLE_DELETE, struct role, void, role_delete(c, in->name),
        .name = "role.delete", .method = "DELETE", .path = "/api/v1/roles/:name", .tag = TAG,
        .summary = "Deletes a role of the account that is no longer assigned.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_NO_BODY, OP_IN(ROLE_NAME_IN, struct role));

const struct op *const role_calls_table[] = {&ROLE_LIST, &ROLE_CREATE, &ROLE_SET, &ROLE_DELETE, NULL};
