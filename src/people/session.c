/* Browser sessions: login, listing, ending. */
#include "session.h"

#include <sodium.h>
#include <string.h>

#include "access.h"
#include "access_impl.h"
#include "audit.h"
#include "config.h"
#include "db.h"
#include "input_check.h"
#include "limit.h"
#include "password.h"
#include "session_impl.h"
#include "str.h"
#include "user.h"
#include "user_store.h"

/* ---- login */

static err session_refuse(struct ctx *c)
{
    return fail(c, ERR_UNAUTHORIZED, "e-mail address, password or account is wrong");
}

/* Of one who is known but failed; who asks is still nobody. */
static void note_failure(struct ctx *c, const struct user_login *u)
{
    c->account_id = u->account_id;
    audit_refusal(c, "user.login_refuse", "user", u->id, "password");
    c->account_id = (struct uuid){0};
}

/* As it is kept, so that nobody has more tries by spelling it in other ways; NULL: it is no address. */
static const char *kept_email(struct ctx *c, const char *email)
{
    const char *kept;

    if (check_email(c, "/email", email, &kept) == ERR_OK)
        return kept;
    ctx_forgive(c);
    return NULL;
}

/* One answer, after the same work, for all that can be wrong. */
static err session_check(struct ctx *c, const struct login *in, const char *email, struct user_login *u)
{
    bool matches, nowhere = !str_empty(in->account) && !str_is_slug(in->account);
    int n = 0;

    if (!nowhere && email)
        TRY(user_store_find_login(c, in->account, email, u, &n));
    matches = password_matches(c, n == 1 && u->may ? u->password_hash : NULL, in->password);
    if (matches)
        return ERR_OK;
    if (n == 1)
        note_failure(c, u);
    return session_refuse(c);
}

static err logged_in(struct ctx *c, void *arg)
{
    const struct user_login *u = arg;

    TRY(user_store_logged_in(c, u->id));
    return audit_add(c, &(struct audit){.kind = "user.login", .subject_kind = "user", .subject_id = u->id});
}

/* From here on the request is the user's own. */
static err session_become(struct ctx *c, const struct user_login *u)
{
    struct principal *w = ARENA_NEW(c->arena, struct principal);

    *w = (struct principal){.kind = PRINCIPAL_USER, .id = u->id, .account_id = u->account_id};
    c->who = w;
    c->account_id = u->account_id;
    return db_tx(c, logged_in, arena_memdup(c->arena, u, sizeof *u));
}

static const char *session_cut(struct ctx *c, const char *s, size_t n)
{
    return s ? arena_strndup(c->arena, s, strnlen(s, n)) : "";
}

static err session_start(struct ctx *c, const struct login *in, const struct user_login *u, struct login_done *out)
{
    int64_t max_s = c->app->conf->session_max_s;
    char csrf[TOKEN_SECRET + 1], stamp[ACCESS_STAMP];
    struct session_key k;
    const char *cookie = session_cookie(c, &k);
    struct session_row row = {.s = {.id = k.id, .user_id = u->id, .created_at = c->now,
                                    .ends_at = {c->now.us + max_s * SECOND_US}, .ip = c->ip ? c->ip : "",
                                    .user_agent = session_cut(c, in->user_agent, LIMIT_USER_AGENT)},
                              .csrf = csrf, .stamp = stamp};

    token_random(csrf);
    access_stamp(u->password_hash, stamp);
    TRY(session_store_put(c, &row));
    *out = (struct login_done){cookie, max_s, arena_strdup(c->arena, csrf), u->id};
    return ERR_OK;
}

err session_login(struct ctx *c, const struct login *in, struct login_done *out)
{
    const char *email = kept_email(c, in->email), *ip = c->ip ? c->ip : "";
    const char *who = arena_printf(c->arena, "%s|%s", in->account ? in->account : "", email ? email : "");
    struct session_key old;
    struct user_login u = {0};
    struct login_done done;

    TRY(login_throttle(c, "address", ip));
    TRY(login_throttle(c, "name", who));
    TRY(session_check(c, in, email, &u));
    TRY(session_become(c, &u));
    TRY(session_start(c, in, &u, &done));
    if (session_key(c->app, in->old_cookie, &old))
        TRY(session_store_end_key(c, &old));
    login_relax(c, "name", who);
    login_refund(c, "address", ip);
    *out = done;
    return ERR_OK;
}

/* ---- listing and ending */

/* Oneself, or anybody of the account with account.manage. */
static err may_touch(struct ctx *c, struct uuid user_id)
{
    struct user u;

    if (c->who->kind == PRINCIPAL_USER && uuid_eq(c->who->id, user_id))
        return ERR_OK;
    TRY(access_permit(c, PERM_ACCOUNT_MANAGE));
    return user_get(c, user_id, &u);
}

err session_list(struct ctx *c, struct uuid user_id, struct session **out, size_t *n)
{
    TRY(may_touch(c, user_id));
    TRY(session_store_list(c, user_id, out, n));
    for (size_t i = 0; i < *n; i++)
        (*out)[i].current = str_eq((*out)[i].id, c->who->session);
    return ERR_OK;
}

static err session_note_end(struct ctx *c, void *arg)
{
    return audit_add(c, &(struct audit){.kind = "user.session_end", .subject_kind = "user",
                                        .subject_id = *(const struct uuid *)arg});
}

err session_end(struct ctx *c, struct uuid user_id, const char *id)
{
    bool ended;

    TRY(may_touch(c, user_id));
    if (!id || strlen(id) != SESSION_ID)
        return fail(c, ERR_NOT_FOUND, "no such session");
    TRY(session_store_end(c, c->account_id, user_id, id, &ended));
    if (!ended)
        return fail(c, ERR_NOT_FOUND, "no such session");
    return db_tx(c, session_note_end, &user_id);
}

err session_end_current(struct ctx *c)
{
    bool ended;

    if (!c->who || !c->who->session)
        return ERR_OK;
    TRY(session_store_end(c, c->account_id, c->who->id, c->who->session, &ended));
    return ended ? db_tx(c, session_note_end, &c->who->id) : ERR_OK;
}

err session_end_every(struct ctx *c, struct uuid user_id)
{
    TRY(may_touch(c, user_id));
    TRY(session_store_end_all(c, user_id));
    return db_tx(c, session_note_end, &user_id);
}

err session_end_all(struct ctx *c, struct uuid user_id)
{
    return session_store_end_all(c, user_id);
}

err session_prune(struct ctx *c, int64_t limit, int64_t *n)
{
    return session_store_prune(c, limit, n);
}
