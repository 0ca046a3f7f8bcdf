/* Users: made, changed and removed, with the account's last owner kept in place. */
#include "user.h"

#include "access.h"
#include "app.h"
#include "audit.h"
#include "db.h"
#include "grant.h"
#include "input_check.h"
#include "json.h"
#include "limit.h"
#include "log.h"
#include "password.h"
#include "role.h"
#include "session.h"
#include "session_impl.h"
#include "str.h"
#include "thing.h"
#include "user_store.h"

ENUMX_DEFINE(user_status, USER_STATUS);

static const struct field USER_COLUMNS[] = {
    F_ID(struct user, "id of the user"),
    F_STR(struct user, email, COL_OPEN | COL_UNIQUE | FIELD_REQUIRED | FIELD_EMAIL, 3, LIMIT_EMAIL, "e-mail address, unique in the account",
          .label = "Email"),
    F_STR(struct user, name, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_NAME, "display name", .label = "Name"),
    F_STR(struct user, role, COL_OPEN | FIELD_REQUIRED, 1, 64,
          "role; sets the user's permissions: owner, admin, editor, reviewer, viewer or a role of the account; sessions end when it changes",
          .label = "Role"),
    F_STR(struct user, password, COL_CREATE | FIELD_SECRET | FIELD_RAW, LIMIT_PASSWORD_MIN, LIMIT_PASSWORD,
          "first password; without one the user cannot log in", .label = "First password"),
    F_STR(struct user, password_hash, COL_ROW | COL_SEALED | FIELD_NULLABLE, 0, 0, "hash of the password"),
    F_ENUM(struct user, status, COL_LATER, user_status, USER_ACTIVE, "status; disabled users cannot log in, and their tokens do not work",
           .label = "Status", .hint = "Disabled users cannot sign in, and their tokens are refused.", .shades = "ok off"),
    F_BOOL(struct user, is_operator, COL_READ | COL_AUDIT, false, "operator: may manage jobs and settings of the installation"),
    F_BOOL(struct user, has_password, COL_SHOW, false, "whether a password is set; without one the user cannot log in",
           .sql = "password_hash IS NOT NULL"),
    /* A login is no change of the user: no table writes it. */
    F_TIME(struct user, last_login_at, COL_SHOW | FIELD_NULLABLE, "last successful login", .sql = "last_login_at"),
    F_VERSION(struct user),
    F_TIMES(struct user),
    F_END
};
const struct thing USER = THING("user", USER_COLUMNS, struct user, .changed = access_changed, .schema = "User",
                                .taken = "another user has this e-mail address");

/* The sessions of somebody who may no longer have them are refused anyway: by status, role or stamp. */
static void user_end_sessions(struct ctx *c, struct uuid id)
{
    if (session_end_all(c, id) == ERR_OK)
        return;
    ctx_forgive(c);
    log_say(c->app->log, LOG_WARN, "Redis is unavailable: the sessions of a changed user end when they expire");
}

/* ---- reading */

err user_get(struct ctx *c, struct uuid id, struct user *out)
{
    return thing_get(c, &USER, id, out);
}

err user_by_email(struct ctx *c, const char *email, struct user *out)
{
    const char *low;
    bool found;

    TRY(check_email(c, "/email", email, &low));
    TRY(user_store_by_email(c, low, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such user");
}

err user_list(struct ctx *c, const struct user_filter *f, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return user_store_list(c, f, before, out);
}

/* ---- creating */

static err user_create_tx(struct ctx *c, const struct user *in, struct user *out)
{
    struct user u = *in;

    TRY(thing_begin(c, &USER, &u));
    TRY(check_email(c, "/email", u.email, &u.email));
    TRY(role_may_give(c, "/role", u.role, ROLE_OF_USER));
    u.password_hash = NULL;
    if (u.password)
        TRY(password_hash(c, "/password", u.password, &u.password_hash));
    u.has_password = u.password;
    u.is_operator = in->is_operator && c->who->kind == PRINCIPAL_SYSTEM;
    TRY(thing_insert(c, &USER, &u));
    u.password = u.password_hash = NULL;
    *out = u;
    return ERR_OK;
}
DB_TX(user_create, struct user, struct user)

/* ---- changing */

static err owner_stays(struct ctx *c, const struct user *u)
{
    int64_t others;

    if (!str_eq(u->role, ROLE_OWNER) || u->status != USER_ACTIVE)
        return ERR_OK;
    TRY(user_store_other_owners(c, u->id, &others));
    return others ? ERR_OK : fail(c, ERR_CONFLICT, "this is the last owner of the account; add another owner first");
}

err user_may_govern(struct ctx *c, const struct user *u)
{
    if (c->who->kind == PRINCIPAL_USER && uuid_eq(c->who->id, u->id))
        return ERR_OK;
    if (u->is_operator && !c->who->is_operator)
        return fail(c, ERR_FORBIDDEN, "only operators may change an operator");
    return role_may_govern(c, u->role);
}

/* Inside the transaction, since who governs whom follows from what the rows say now. */
static err user_take_governed(struct ctx *c, struct uuid id, int64_t if_version, struct user *u)
{
    TRY(thing_take(c, &USER, id, if_version, u));
    return user_may_govern(c, u);
}

struct user_twice {
    struct user was, now;
};

static bool loses_sessions(const struct user_twice *u)
{
    return u->now.status != u->was.status || !str_eq(u->now.role, u->was.role);
}

static err user_rewrite_tx(struct ctx *c, const struct user_change *ch, struct user_twice *out)
{
    struct user *u = &out->now;

    TRY(user_take_governed(c, ch->to.id, ch->change.if_version, &out->was));
    *u = out->was;
    TRY(thing_apply(c, &USER, ch, u));
    if (changes(ch, email))
        TRY(check_email(c, "/email", u->email, &u->email));
    if (!str_eq(u->role, out->was.role))
        TRY(role_may_give(c, "/role", u->role, ROLE_OF_USER));
    if (loses_sessions(out))
        TRY(owner_stays(c, &out->was));
    return thing_save(c, &USER, &ch->change, &out->was, u);
}
DB_TX_INNER(user_rewrite, struct user_change, struct user_twice)

err user_update(struct ctx *c, const struct user_change *ch, struct user *out)
{
    struct user_twice u;

    TRY(user_rewrite(c, ch, &u));
    if (loses_sessions(&u))
        user_end_sessions(c, u.now.id);
    *out = u.now;
    return ERR_OK;
}

static err user_remove_tx(struct ctx *c, const struct thing_key *key)
{
    struct user u;

    TRY(user_take_governed(c, key->id, key->if_version, &u));
    TRY(owner_stays(c, &u));
    TRY(grant_forget_grantee(c, GRANTEE_USER, UUID_STR(u.id)));
    return thing_remove(c, &USER, &u, key->if_version);
}
DB_TX_IN_INNER(user_remove, struct thing_key)

err user_delete(struct ctx *c, const struct thing_key *key)
{
    TRY(user_remove(c, key));
    user_end_sessions(c, key->id);
    return ERR_OK;
}

/* ---- passwords and the operator flag */

static err user_seal_tx(struct ctx *c, const struct user *u)
{
    TRY(user_store_set_password(c, u->id, u->password_hash));
    return thing_note(c, &USER, "password", u->id, NULL, NULL);
}
DB_TX_IN_INNER(user_seal, struct user)

/* Guessing the old one is throttled as logins are. */
static err check_old(struct ctx *c, struct uuid id, const char *old_password)
{
    const char *hash, *who = arena_strdup(c->arena, UUID_STR(id));
    err e = login_throttle(c, "user", who);

    if (e == ERR_RATE)
        return e;
    ctx_forgive(c); /* Redis away: the old password is asked for all the same */
    TRY(user_store_password(c, id, &hash));
    if (!password_matches(c, hash, old_password)) {
        audit_refusal(c, "user.refuse", "user", id, "old password");
        return fail_field(c, "/old_password", "wrong password");
    }
    login_relax(c, "user", who);
    return ERR_OK;
}

err user_set_password(struct ctx *c, const struct user_password *p)
{
    struct user u = {.id = p->id};

    if (c->who->kind == PRINCIPAL_USER && uuid_eq(c->who->id, p->id)) {
        TRY(check_old(c, p->id, p->old_password));
    } else {
        TRY(access_permit(c, PERM_ACCOUNT_MANAGE));
        TRY(user_get(c, p->id, &u));
        TRY(user_may_govern(c, &u));
    }
    TRY(password_hash(c, "/new_password", p->new_password, &u.password_hash));
    TRY(user_seal(c, &u));
    user_end_sessions(c, p->id);
    return ERR_OK;
}

static err user_raise_tx(struct ctx *c, const struct user *u)
{
    struct json *after = json_obj(c->arena);

    json_set_bool(c->arena, after, "is_operator", u->is_operator);
    TRY(user_store_set_operator(c, u->id, u->is_operator));
    return thing_note(c, &USER, "operator", u->id, NULL, after);
}
DB_TX_IN_INNER(user_raise, struct user)

err user_set_operator(struct ctx *c, struct uuid id, bool on)
{
    struct user u;

    if (c->who->kind != PRINCIPAL_SYSTEM)
        return fail(c, ERR_FORBIDDEN, "operators can be set only with locictl");
    TRY(user_get(c, id, &u));
    u.is_operator = on;
    return user_raise(c, &u);
}
