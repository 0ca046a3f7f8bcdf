/* Browser sessions: kept in Redis, found by a cookie, ended by their owner, by time, or with the password. */
#ifndef LOCI_SESSION_H
#define LOCI_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"

#define LIMIT_USER_AGENT 200 /* bytes kept of what the browser calls itself */

struct login {
    const char *account; /* slug; NULL or "": the one active account that knows the address */
    const char *email, *password;
    const char *user_agent; /* may be NULL */
    const char *old_cookie; /* a session that this login replaces, or NULL */
};

struct login_done {
    const char *cookie; /* value to set: HttpOnly, SameSite, Secure where the site is */
    int64_t max_age_s;
    const char *csrf;
    struct uuid user_id;
};

/* Whoever gives the right password gets a new session; old_cookie's ends. Wrong address, account or password, disabled
 * users and suspended accounts: ERR_UNAUTHORIZED, in the same words and the same time. Too many failures for this
 * address, or from this network address: ERR_RATE. Redis away: ERR_UNAVAILABLE. */
err session_login(struct ctx *c, const struct login *in, struct login_done *out);

struct session {
    const char *id; /* hex; no secret: it does not open the session */
    struct uuid user_id;
    struct instant created_at, seen_at, ends_at;
    const char *ip, *user_agent;
    bool current; /* the one that asks */
};

/* Of the caller, or with account.manage of any user; newest first. */
err session_list(struct ctx *c, struct uuid user_id, struct session **out, size_t *n);
err session_end(struct ctx *c, struct uuid user_id, const char *id);
/* The session this request came with (logout). */
err session_end_current(struct ctx *c);
/* All of a user: oneself, or with account.manage anybody. */
err session_end_every(struct ctx *c, struct uuid user_id);
/* The same without asking the gate: for services that disable a user or change a password. */
err session_end_all(struct ctx *c, struct uuid user_id);
/* For the jobs: forgets the ids of ended sessions of the caller's account in the lists of at most limit users; *n of
 * them were removed. */
err session_prune(struct ctx *c, int64_t limit, int64_t *n);

#endif
