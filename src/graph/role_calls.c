/* Operations on roles. */
#include "graph_calls.h"
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
struct list_out {
    struct list roles;
    struct strs permissions;
};

static const struct field LIST_OUT[] = {
    F_LIST(struct list_out, roles, 0, 0, ROLE_OUT, struct role, "built-in roles and the account's own, by name"),
    F_STRS(struct list_out, permissions, 0, 0, "all permissions that exist"),
    F_END
};

static err list(struct ctx *c, const void *in, void *out)
{
    struct list_out *o = out;
    struct role *roles;

    (void)in;
    TRY(role_list(c, &roles, &o->roles.n));
    o->roles.v = roles;
    o->permissions = permissions_strs(c->arena, permissions_all());
    return ERR_OK;
}

static const struct op LIST = {
    .name = "role.list", .method = "GET", .path = "/api/v1/roles", .tag = TAG,
    .summary = "Lists the roles with their permissions.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT, OP_OUT(LIST_OUT, struct list_out), .run = list,
};

/* Every string is a permission or an area: "memory.read", "memory.*". */
static err parse(struct ctx *c, struct strs strings, permissions *out)
{
    size_t bad;

    if (permissions_parse(strings, out, &bad))
        return ERR_OK;
    return fail_field(c, arena_printf(c->arena, "/permissions/%zu", bad), "no such permission");
}

struct create_in {
    const char *name, *description;
    enum role_kind kind;
    struct strs permissions;
};

static const struct field CREATE_IN[] = {
    F_STR(struct create_in, name, FIELD_REQUIRED | FIELD_SLUG, 1, 64, "name, unique in the account"),
    F_ENUM(struct create_in, kind, 0, role_kind, ROLE_OF_USER, "for users or for agents"),
    F_STR(struct create_in, description, 0, 0, LIMIT_NAME, "purpose"),
    F_STRS(struct create_in, permissions, FIELD_REQUIRED, LIMIT_SCOPES, "permissions, or areas such as memory.*"),
    F_END
};

static err create(struct ctx *c, const void *in, void *out)
{
    const struct create_in *i = in;
    struct role r = {.name = i->name, .kind = i->kind, .description = i->description ? i->description : ""};

    TRY(parse(c, i->permissions, &r.perms));
    return role_create(c, &r, out);
}

static const struct op CREATE = {
    .name = "role.create", .method = "POST", .path = "/api/v1/roles", .tag = TAG,
    .summary = "Creates a role of the account.",
    .help = "It can contain only permissions that the caller has.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES,
    OP_IN(CREATE_IN, struct create_in), OP_OUT(ROLE_OUT, struct role), .run = create,
};

struct set_in {
    const char *name;
    struct strs permissions;
};

static const struct field SET_IN[] = {
    F_STR(struct set_in, name, FIELD_REQUIRED | FIELD_SLUG, 1, 64, "name of the role"),
    F_STRS(struct set_in, permissions, FIELD_REQUIRED, LIMIT_SCOPES, "permissions, or areas such as memory.*"),
    F_END
};

static err set(struct ctx *c, const void *in, void *out)
{
    const struct set_in *i = in;
    permissions perms;

    TRY(parse(c, i->permissions, &perms));
    return role_set_permissions(c, i->name, perms, out);
}

static const struct op SET = {
    .name = "role.set_permissions", .method = "PUT", .path = "/api/v1/roles/:name/permissions", .tag = TAG,
    .summary = "Sets the permissions of a role.",
    .help = "A role of the account gets exactly these permissions. A built-in role keeps its own and gets these in addition.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_IDEMPOTENT,
    OP_IN(SET_IN, struct set_in), OP_OUT(ROLE_OUT, struct role), .run = set,
};

struct delete_in {
    const char *name;
};

static const struct field DELETE_IN[] = {
    F_STR(struct delete_in, name, FIELD_REQUIRED | FIELD_SLUG, 1, 64, "name of the role"),
    F_END
};

static err delete(struct ctx *c, const void *in, void *out)
{
    (void)out;
    return role_delete(c, ((const struct delete_in *)in)->name);
}

static const struct op DELETE = {
    .name = "role.delete", .method = "DELETE", .path = "/api/v1/roles/:name", .tag = TAG,
    .summary = "Deletes a role of the account that is no longer assigned.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_NO_BODY,
    OP_IN(DELETE_IN, struct delete_in), .run = delete,
};

const struct op *const role_calls_table[] = {&LIST, &CREATE, &SET, &DELETE, NULL};
