/* Passwords: Argon2id, checked in the same time whether there is a user or not. */
#ifndef LOCI_PASSWORD_H
#define LOCI_PASSWORD_H

#include <stdbool.h>

#include "ctx.h"

/* A new password as text for the user's row; too short or too long is a fault of the field at pointer. */
err password_hash(struct ctx *c, const char *pointer, const char *password, const char **out);
/* hash NULL: there is no such user, or no password; the work is done all the same and the answer is no. */
bool password_matches(struct ctx *c, const char *hash, const char *password);

#endif
