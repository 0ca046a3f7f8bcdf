/* Roles: named sets of permissions. Built-in ones belong to nobody; an account adds its own, or adds to built-in ones. */
#ifndef LOCI_ROLE_H
#define LOCI_ROLE_H

#include <stdbool.h>

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "permission.h"

#define ROLE_KIND(X) X(ROLE_OF_USER, "user") X(ROLE_OF_AGENT, "agent")
ENUMX_DECLARE(role_kind, ROLE_KIND);

#define ROLE_OWNER "owner"
#define LIMIT_ACCOUNT_ROLES 100 /* roles one account can add */

struct role {
    const char *name, *description;
    enum role_kind kind;
    bool built_in;
    permissions perms;       /* built-in rows and the account's */
    permissions added;       /* the account's rows alone */
    struct strs permissions; /* perms as strings; answers only */
};

/* Built-in roles and those of the account, by name. */
err role_list(struct ctx *c, struct role **out, size_t *n);
err role_get(struct ctx *c, const char *name, struct role *out); /* ERR_NOT_FOUND */

/* A role of the account. Its permissions must be ones that the caller has. */
err role_create(struct ctx *c, const struct role *in, struct role *out);
/* Name and perms of r replace the account's own rows: all permissions of its own role, what is added to a built-in one. */
err role_set_permissions(struct ctx *c, const struct role *r, struct role *out);
/* ERR_CONFLICT while a user or agent has it, or when it is built in. */
err role_delete(struct ctx *c, const char *name);

/* May the caller give this role to somebody? An unknown one, or one of the other kind, is a fault of the field at
 * pointer; ERR_FORBIDDEN when it would give what the caller lacks. Only owners make owners. */
err role_may_give(struct ctx *c, const char *pointer, const char *name, enum role_kind kind);
/* May the caller change, disable, or act for somebody who has this role? ERR_FORBIDDEN if that one may more. */
err role_may_govern(struct ctx *c, const char *name);

#endif
