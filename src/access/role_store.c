/* SQL of roles and their permissions. */
#include <string.h>

#include "db.h"
#include "role_store.h"

#define NOBODY ((struct uuid){{0}})    /* account of built-in rows */
#define ROLES_READ (LIMIT_ACCOUNT_ROLES + 50)

static err role_store_read_roles(struct ctx *c, struct role *roles, size_t *n)
{
    scoped_cursor q = {0};
    const char *kind;
    bool found;
    int k;

    TRY(db_query(c, &q,
        "SELECT name, kind, description, account_id = ? FROM role WHERE account_id IN (?, ?) ORDER BY name LIMIT ?",
        IN(NOBODY), IN(NOBODY), IN(c->account_id), IN(ROLES_READ)));
    for (*n = 0; *n < ROLES_READ; ++*n) {
        struct role *r = &roles[*n];

        TRY(db_row(&q, c, &found, OUT(&r->name), OUT(&kind), OUT(&r->description), OUT(&r->built_in)));
        if (!found)
            break;
        if (!enumx_parse(&role_kind_enumx, kind, &k))
            return fail(c, ERR_INTERNAL, "role '%s' has kind '%s'", r->name, kind);
        r->kind = (enum role_kind)k;
    }
    return ERR_OK;
}

static void add_permission(struct role *roles, size_t n, const char *role, const char *permission, bool own)
{
    int p;

    if (!enumx_parse(&permission_enumx, permission, &p))
        return;
    for (size_t i = 0; i < n; i++)
        if (strcmp(roles[i].name, role) == 0) {
            roles[i].perms = permissions_add(roles[i].perms, (enum permission)p);
            if (own)
                roles[i].added = permissions_add(roles[i].added, (enum permission)p);
        }
}

err role_store_all(struct ctx *c, struct role **out, size_t *n)
{
    struct role *roles = ARENA_ARRAY(c->arena, struct role, ROLES_READ);
    scoped_cursor q = {0};
    const char *role, *permission;
    bool found, own;

    TRY(role_store_read_roles(c, roles, n));
    TRY(db_query(c, &q,
        "SELECT role, permission, account_id = ? FROM role_permission WHERE account_id IN (?, ?)", IN(c->account_id),
        IN(NOBODY), IN(c->account_id)));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&role), OUT(&permission), OUT(&own)));
        if (!found)
            break;
        add_permission(roles, *n, role, permission, own);
    }
    for (size_t i = 0; i < *n; i++)
        roles[i].permissions = permissions_strs(c->arena, roles[i].perms);
    *out = roles;
    return ERR_OK;
}

err role_store_insert(struct ctx *c, const struct role *r)
{
    return db_exec(c, NULL, "INSERT INTO role (account_id, name, kind, description) VALUES (?, ?, ?, ?)",
                   IN(c->account_id), IN(r->name), IN(enumx_name(&role_kind_enumx, (int)r->kind)), IN(r->description ? r->description : ""));
}

err role_store_permissions(struct ctx *c, const char *role, struct strs names)
{
    struct sql s;

    TRY(db_exec(c, NULL, "DELETE FROM role_permission WHERE account_id = ? AND role = ?", IN(c->account_id), IN(role)));
    if (names.n == 0)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO role_permission (account_id, role, permission) VALUES ");
    for (size_t i = 0; i < names.n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?)", IN(c->account_id), IN(role), IN(names.v[i]));
    }
    return sql_exec(c, NULL, &s);
}

err role_store_delete(struct ctx *c, const char *name)
{
    TRY(db_exec(c, NULL, "DELETE FROM role_permission WHERE account_id = ? AND role = ?", IN(c->account_id), IN(name)));
    return db_exec(c, NULL, "DELETE FROM role WHERE account_id = ? AND name = ?", IN(c->account_id), IN(name));
}

err role_store_in_use(struct ctx *c, const char *name, bool *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
        "SELECT EXISTS (SELECT 1 FROM user WHERE account_id = ? AND role = ?)"
        " OR EXISTS (SELECT 1 FROM agent WHERE account_id = ? AND role = ?)",
        IN(c->account_id), IN(name), IN(c->account_id), IN(name)));
    return db_row(&q, c, &found, OUT(out));
}
