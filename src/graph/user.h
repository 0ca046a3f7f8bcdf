/* Users: the people of an account. */
#ifndef LOCI_USER_H
#define LOCI_USER_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "page.h"
#include "thing_table.h"

#define USER_STATUS(X) X(USER_ACTIVE, "active") X(USER_DISABLED, "disabled")
ENUMX_DECLARE(user_status, USER_STATUS);

struct user {
    struct uuid id;
    const char *email, *name, *role;
    const char *password;      /* of one that is created; NULL: cannot log in */
    const char *password_hash; /* never read */
    enum user_status status;
    bool is_operator;  /* of one that is created: honoured for the system (locictl) only */
    bool has_password; /* false: cannot log in */
    struct instant last_login_at, created_at, updated_at;
    int64_t version;
};
extern const struct thing USER;

struct user_change {
    struct thing_change change;
    struct user to;
};

struct user_filter {
    int status;       /* of enum user_status, or -1: any */
    const char *role; /* NULL: any */
    const char *q;    /* part of name or address */
    int64_t limit;
    const char *cursor;
};

struct user_password {
    struct uuid id;
    const char *old_password, *new_password; /* old: one's own only */
};

/* Addresses are kept in lower case. One that is taken: ERR_CONFLICT. */
err user_create(struct ctx *c, const struct user *in, struct user *out);
err user_get(struct ctx *c, struct uuid id, struct user *out);
err user_by_email(struct ctx *c, const char *email, struct user *out);
err user_list(struct ctx *c, const struct user_filter *f, struct page *out);
/* Nobody changes one who may more than he. The last active owner can neither be disabled nor get another role:
 * ERR_CONFLICT. Disabling and a change of role end the user's sessions. */
err user_update(struct ctx *c, const struct user_change *ch, struct user *out);
/* Removes the user with tokens, sessions and grants. What was written by them stays. */
err user_delete(struct ctx *c, const struct thing_key *key);
/* Oneself: the old password is asked for. Others: account.manage. Every session of the user ends. */
err user_set_password(struct ctx *c, const struct user_password *p);
/* May the caller act on this user, or in the user's name? ERR_FORBIDDEN if that one may do more. */
err user_may_govern(struct ctx *c, const struct user *u);
/* For locictl: whether the user may steer jobs and settings of all accounts. */
err user_set_operator(struct ctx *c, struct uuid id, bool on);

#endif
