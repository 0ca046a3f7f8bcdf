/* Roles: what they give, who may give them, and those that an account makes itself. */
#include "role.h"

#include <string.h>

#include "access.h"
#include "audit.h"
#include "db.h"
#include "grant.h"
#include "limit.h"
#include "role_store.h"
#include "str.h"
#include "strs_json.h"

ENUMX_DEFINE(role_kind, ROLE_KIND);

err role_list(struct ctx *c, struct role **out, size_t *n)
{
    return role_store_all(c, out, n);
}

static err role_find(struct ctx *c, const char *name, const struct role **out)
{
    struct role *all;
    size_t n;

    *out = NULL;
    TRY(role_store_all(c, &all, &n));
    for (size_t i = 0; i < n; i++)
        if (str_eq(all[i].name, name))
            *out = &all[i];
    return ERR_OK;
}

err role_get(struct ctx *c, const char *name, struct role *out)
{
    const struct role *r;

    TRY(role_find(c, name, &r));
    if (!r)
        return fail(c, ERR_NOT_FOUND, "no such role");
    *out = *r;
    return ERR_OK;
}

/* ---- who may give what */

/* The first permission of the set that the caller lacks, or NULL. */
static const char *lacking(struct ctx *c, permissions set)
{
    struct strs missing = permissions_strs(c->arena, set & ~c->who->perms);

    return missing.n ? missing.v[0] : NULL;
}

static err role_refuse(struct ctx *c, const char *role, const char *why)
{
    audit_refusal(c, "role.refuse", "role", (struct uuid){0}, role);
    return fail(c, ERR_FORBIDDEN, "%s", why);
}

static bool is_owner(const struct ctx *c)
{
    return c->who->kind == PRINCIPAL_SYSTEM || (c->who->kind == PRINCIPAL_USER && str_eq(c->who->role, ROLE_OWNER));
}

err role_may_give(struct ctx *c, const char *pointer, const char *name, enum role_kind kind)
{
    const char *kind_name = enumx_name(&role_kind_enumx, (int)kind), *missing;
    const struct role *r;

    TRY(role_find(c, name, &r));
    if (!r || r->kind != kind)
        return fail_field(c, pointer, "no such role for %ss", kind_name);
    if (str_eq(name, ROLE_OWNER) && !is_owner(c))
        return role_refuse(c, name, "only an owner can assign the role owner");
    missing = lacking(c, r->perms);
    if (missing)
        return role_refuse(c, name, arena_printf(c->arena, "the role %s includes %s, which you do not have", name, missing));
    return ERR_OK;
}

err role_may_govern(struct ctx *c, const char *name)
{
    const struct role *r;

    if (c->who->kind == PRINCIPAL_SYSTEM)
        return ERR_OK;
    TRY(role_find(c, name, &r));
    if ((str_eq(name, ROLE_OWNER) && !is_owner(c)) || (r && lacking(c, r->perms)))
        return role_refuse(c, name, arena_printf(c->arena, "the role %s has permissions that you do not have", name));
    return ERR_OK;
}

/* ---- changes */

static struct json *permissions_json(struct ctx *c, permissions set)
{
    struct json *o = json_obj(c->arena);

    json_set(c->arena, o, "permissions", strs_to_json(c->arena, permissions_strs(c->arena, set)));
    return o;
}

static err role_note(struct ctx *c, const char *kind, const char *name, const struct json *before, const struct json *after)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "name", name);
    TRY(audit_add(c, &(struct audit){.kind = kind, .subject_kind = "role", .before = before, .after = after,
                                     .payload = payload}));
    return access_changed(c);
}

static err check_permissions(struct ctx *c, const char *role, permissions set)
{
    const char *missing = lacking(c, set);

    if (!missing)
        return ERR_OK;
    return role_refuse(c, role, arena_printf(c->arena, "you cannot give the permission %s, which you do not have", missing));
}

static err role_create_tx(struct ctx *c, const struct role *r, struct role *out)
{
    struct role *all;
    size_t n, own = 0;

    TRY(check_permissions(c, r->name, r->perms));
    TRY(role_store_all(c, &all, &n));
    for (size_t i = 0; i < n; i++) {
        own += !all[i].built_in;
        if (str_eq(all[i].name, r->name))
            return fail(c, ERR_CONFLICT, "a role with this name exists already");
    }
    if (own >= LIMIT_ACCOUNT_ROLES)
        return fail(c, ERR_CONFLICT, "an account can have at most %d own roles", LIMIT_ACCOUNT_ROLES);
    TRY(role_store_insert(c, r));
    TRY(role_store_permissions(c, r->name, permissions_strs(c->arena, r->perms)));
    TRY(role_note(c, "role.create", r->name, NULL, permissions_json(c, r->perms)));
    return role_get(c, r->name, out);
}
DB_TX(role_create, struct role, struct role)

static err role_set_permissions_tx(struct ctx *c, const struct role *in, struct role *out)
{
    struct role r;
    permissions rows;

    TRY(role_may_govern(c, in->name));
    TRY(role_get(c, in->name, &r));
    rows = r.built_in ? in->perms & ~(r.perms & ~r.added) : in->perms;
    TRY(check_permissions(c, in->name, rows & ~r.added));
    TRY(role_store_permissions(c, in->name, permissions_strs(c->arena, rows)));
    TRY(role_note(c, "role.update", in->name, permissions_json(c, r.perms), permissions_json(c, (r.perms & ~r.added) | rows)));
    return role_get(c, in->name, out);
}
DB_TX(role_set_permissions, struct role, struct role)

static err role_delete_tx(struct ctx *c, const char *name)
{
    struct role r;
    bool in_use;

    TRY(role_may_govern(c, name));
    TRY(role_get(c, name, &r));
    if (r.built_in)
        return fail(c, ERR_CONFLICT, "the role %s is built in and cannot be removed", name);
    TRY(role_store_in_use(c, name, &in_use));
    if (in_use)
        return fail(c, ERR_CONFLICT, "users or agents still have the role %s; assign them another first", name);
    TRY(role_store_delete(c, name));
    TRY(grant_forget_grantee(c, GRANTEE_ROLE, name));
    return role_note(c, "role.delete", name, permissions_json(c, r.perms), NULL);
}
DB_TX_IN(role_delete, char)
