/* Accounts: the tenants. Nothing crosses between them. */
#ifndef LOCI_ACCOUNT_H
#define LOCI_ACCOUNT_H

#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "user.h"

#define ACCOUNT_STATUS(X) X(ACCOUNT_ACTIVE, "active") X(ACCOUNT_SUSPENDED, "suspended")
ENUMX_DECLARE(account_status, ACCOUNT_STATUS);

struct account {
    struct uuid id;
    const char *slug, *name;
    enum account_status status;
    const struct json *settings;
    int64_t version;
    struct instant created_at, updated_at;
};

#define ACCOUNT_SET_NAME 1u
#define ACCOUNT_SET_SETTINGS 2u /* merged: RFC 7396 */

struct account_patch {
    unsigned set;
    int64_t if_version; /* 0: not said */
    const char *name;
    const struct json *settings;
};

/* For locictl: a new account with its namespaces and, when owner is not NULL, its first user (role owner). The caller
 * becomes the system of that account, under the name actor. A slug that is taken: ERR_CONFLICT. */
err account_create(struct ctx *c, const char *slug, const char *name, const char *actor, const struct user *owner,
                   struct account *out);
/* For locictl and jobs, before there is a principal. */
err account_by_slug(struct ctx *c, const char *slug, struct account *out);
err account_list(struct ctx *c, struct account **out, size_t *n); /* all accounts, oldest first */
/* Suspended: its tokens and sessions stop with the next request. For operators only: the caller checks. */
err account_set_status(struct ctx *c, enum account_status status, struct account *out);

/* Under legal hold: the setting `legal_hold` of the account is true. No job deletes anything of it. */
err account_is_held(struct ctx *c, bool *held);

/* The caller's account. */
err account_get(struct ctx *c, struct account *out);
err account_update(struct ctx *c, const struct account_patch *p, struct account *out);

#endif
