/* What the files of browser sessions and the access gate share; nobody else includes this. */
#ifndef LOCI_SESSION_IMPL_H
#define LOCI_SESSION_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "app.h"
#include "session.h"
#include "token.h"
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

/* ---- session_store.c: Redis */

struct session_row {
    struct session s;
    const char *csrf, *stamp;
};
err session_store_put(struct ctx *c, const struct session_row *r);
err session_store_list(struct ctx *c, struct uuid user_id, struct session **out, size_t *n);
/* *ended: it was there. */
err session_store_end(struct ctx *c, struct uuid account_id, struct uuid user_id, const char *id, bool *ended);
/* The same where only the cookie is known; nothing happens when it opens nothing. */
err session_store_end_key(struct ctx *c, const struct session_key *k);
err session_store_end_all(struct ctx *c, struct uuid user_id);
err session_store_prune(struct ctx *c, int64_t limit, int64_t *n);

/* Counts a try under kind and name; ERR_RATE, with retry_after, once there were too many in 15 minutes: login_tries for
 * all kinds but "address", which may have ADDRESS_FACTOR times as many (people share addresses). */
#define ADDRESS_FACTOR 5
err login_throttle(struct ctx *c, const char *kind, const char *name);
/* It went well: its failures are forgotten. A failure here does not matter. */
void login_relax(struct ctx *c, const char *kind, const char *name);
/* It went well, but others may have failed under the same name: only this try is. */
void login_refund(struct ctx *c, const char *kind, const char *name);

#endif
