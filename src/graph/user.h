/* Users: the people of an account. */
#ifndef LOCI_USER_H
#define LOCI_USER_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "page.h"

#define USER_STATUS(X) X(USER_ACTIVE, "active") X(USER_DISABLED, "disabled")
ENUMX_DECLARE(user_status, USER_STATUS);

struct user {
    struct uuid id;
    const char *email, *name, *role;
    enum user_status status;
    bool is_operator;
    bool has_password;               /* false: cannot log in */
    struct instant last_login_at, created_at, updated_at;
    int64_t version;
};

struct user_new {
    const char *email, *name, *role;
    const char *password;            /* NULL: cannot log in */
    bool is_operator;                /* honoured for the system (locictl) only */
};

#define USER_SET_NAME 1u
#define USER_SET_EMAIL 2u
#define USER_SET_ROLE 4u
#define USER_SET_STATUS 8u

struct user_patch {
    unsigned set;
    int64_t if_version;              /* 0: not said */
    const char *name, *email, *role;
    enum user_status status;
};

struct user_filter {
    int status;                      /* an enum's value, or -1: any */
    const char *role;                /* NULL: any */
    const char *q;                   /* part of name or address */
    int64_t limit;
    const char *cursor;
};

/* Addresses are kept in lower case. One that is taken: ERR_CONFLICT. */
err user_create(struct ctx *c, const struct user_new *in, struct user *out);
err user_get(struct ctx *c, struct uuid id, struct user *out);
err user_by_email(struct ctx *c, const char *email, struct user *out);
err user_list(struct ctx *c, const struct user_filter *f, struct page *out);
/* Nobody changes one who may more than he. The last active owner can neither be disabled nor get another role:
 * ERR_CONFLICT. Disabling and a change of role end the user's sessions. */
err user_update(struct ctx *c, struct uuid id, const struct user_patch *p, struct user *out);
/* Removes the user with tokens, sessions and grants. What was written by them stays. */
err user_delete(struct ctx *c, struct uuid id, int64_t if_version);
/* Oneself: the old password is asked for. Others: account.manage. Every session of the user ends. */
err user_set_password(struct ctx *c, struct uuid id, const char *old_password, const char *new_password);
/* May the caller act on this user, or in the user's name? ERR_FORBIDDEN if that one may do more. */
err user_may_govern(struct ctx *c, const struct user *u);
/* For locictl: whether the user may steer jobs and settings of all accounts. */
err user_set_operator(struct ctx *c, struct uuid id, bool on);

#endif
