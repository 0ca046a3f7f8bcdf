/* The rows of roles; only role.c includes this. */
#ifndef LOCI_ROLE_STORE_H
#define LOCI_ROLE_STORE_H

#include "role.h"

/* Built-in roles and the account's, by name, with their permissions. */
err role_store_all(struct ctx *c, struct role **out, size_t *n);
err role_store_insert(struct ctx *c, const struct role *r);
/* Replaces the account's rows of the role. */
err role_store_permissions(struct ctx *c, const char *role, struct strs names);
err role_store_delete(struct ctx *c, const char *name);
/* Whether a user or agent has it. */
err role_store_in_use(struct ctx *c, const char *name, bool *out);

#endif
