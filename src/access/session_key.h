/* The cookie of a browser session, and the key that it stands for in Redis. */
#ifndef LOCI_SESSION_KEY_H
#define LOCI_SESSION_KEY_H

#include <stdbool.h>

#include "app.h"
#include "ctx.h"
#include "token_text.h"
#include "uuid.h"

#define SESSION_ID 64 /* hex digits of the keyed hash of its secret */
#define SESSION_COOKIE (32 + 1 + TOKEN_SECRET + 1)

/* The cookie is `<account id, 32 hex digits>.<secret>`: the account is in front so that Redis keys carry its hash tag. */
struct session_key {
    struct uuid account_id;
    char id[SESSION_ID + 1];
};
/* false: the cookie is not one of ours. */
bool session_key(const struct app *app, const char *cookie, struct session_key *out);
/* A new secret as a cookie of c->account_id, and its key. */
const char *session_cookie(struct ctx *c, struct session_key *out);

#endif
