/* The rows of users; for user.c and sessions only. */
#ifndef LOCI_USER_STORE_H
#define LOCI_USER_STORE_H

#include "user.h"

err user_store_by_email(struct ctx *c, const char *email, bool *found, struct user *out);
err user_store_list(struct ctx *c, const struct user_filter *f, struct uuid before, struct page *out);
/* Other active owners; they stay what they are until the transaction ends. */
err user_store_other_owners(struct ctx *c, struct uuid than, int64_t *n);
err user_store_password(struct ctx *c, struct uuid id, const char **hash); /* NULL: none */
err user_store_set_password(struct ctx *c, struct uuid id, const char *hash);
err user_store_set_operator(struct ctx *c, struct uuid id, bool on);

/* Who logs in, before there is a principal. */
struct user_login {
    struct uuid account_id, id;
    const char *password_hash;
    bool may; /* user and account are active */
};
/* *n: how many active accounts know the address (of those called account, if that is not empty); 2 stands for more. */
err user_store_find_login(struct ctx *c, const char *account, const char *email, struct user_login *out, int *n);
err user_store_logged_in(struct ctx *c, struct uuid id);

#endif
