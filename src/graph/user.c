/* Users: made, changed and removed, with the account's last owner kept in place. */
#include "user.h"

#include "access.h"
#include "app.h"
#include "audit.h"
#include "db.h"
#include "grant.h"
#include "input_check.h"
#include "json.h"
#include "log.h"
#include "match.h"
#include "password.h"
#include "role.h"
#include "session.h"
#include "session_impl.h"
#include "str.h"
#include "user_store.h"

ENUMX_DEFINE(user_status, USER_STATUS);

static struct json *user_json(struct arena *a, const struct user *u)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "email", u->email);
    json_set_str(a, o, "name", u->name);
    json_set_str(a, o, "role", u->role);
    json_set_str(a, o, "status", enumx_name(&user_status_enumx, (int)u->status));
    json_set_bool(a, o, "is_operator", u->is_operator);
    return o;
}

static err note(struct ctx *c, const char *kind, struct uuid id, const struct json *before, const struct json *after)
{
    TRY(audit_add(c, &(struct audit){.kind = kind, .subject_kind = "user", .subject_id = id, .before = before,
                                     .after = after}));
    return access_changed(c);
}

/* The sessions of somebody who may no longer have them are refused anyway: by status, role or stamp. */
static void end_sessions(struct ctx *c, struct uuid id)
{
    if (session_end_all(c, id) == ERR_OK)
        return;
    ctx_forgive(c);
    log_say(c->app->log, LOG_WARN, "Redis is unavailable: the sessions of a changed user end when they expire");
}

static err found_or_not(struct ctx *c, bool found)
{
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such user");
}

err user_get(struct ctx *c, struct uuid id, struct user *out)
{
    bool found = false;

    TRY(user_store_get(c, id, &found, out));
    return found_or_not(c, found);
}

err user_by_email(struct ctx *c, const char *email, struct user *out)
{
    const char *low;
    bool found = false;

    TRY(check_email(c, "/email", email, &low));
    TRY(user_store_by_email(c, low, &found, out));
    return found_or_not(c, found);
}

err user_list(struct ctx *c, const struct user_filter *f, struct page *out)
{
    struct uuid before;
    struct user *rows;
    size_t n;

    TRY(page_begin(c, f->cursor, &before));
    TRY(user_store_list(c, f, before, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct user, id);
    return ERR_OK;
}

/* ---- making */

struct making {
    struct user user;
    const char *hash;
};

static err name_taken(struct ctx *c, err e)
{
    if (e == ERR_OK || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return fail(c, ERR_CONFLICT, "another user has this e-mail address");
}

static err create(struct ctx *c, void *arg)
{
    const struct making *m = arg;

    TRY(name_taken(c, user_store_insert(c, &m->user, m->hash)));
    return note(c, "user.create", m->user.id, NULL, user_json(c->arena, &m->user));
}

err user_create(struct ctx *c, const struct user_new *in, struct user *out)
{
    struct making m = {.user = {.name = in->name, .role = in->role, .version = 1, .created_at = c->now,
                                .updated_at = c->now}};

    TRY(check_name(c, "/name", in->name));
    TRY(check_email(c, "/email", in->email, &m.user.email));
    TRY(role_may_give(c, "/role", in->role, ROLE_OF_USER));
    if (in->password)
        TRY(password_hash(c, "/password", in->password, &m.hash));
    m.user.id = uuid_new(c->now.us);
    m.user.has_password = in->password;
    m.user.is_operator = in->is_operator && c->who->kind == PRINCIPAL_SYSTEM;
    TRY(db_tx(c, create, &m));
    *out = m.user;
    return ERR_OK;
}

/* ---- changing */

struct change {
    struct uuid id;
    const struct user_patch *patch;
    const char *email;               /* of the patch, as it is kept */
    bool ends_sessions;
};

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
static err read_governed(struct ctx *c, struct uuid id, int64_t if_version, struct user *u)
{
    TRY(user_get(c, id, u));
    TRY(match_version(c, if_version, u->version));
    return user_may_govern(c, u);
}

static err update(struct ctx *c, void *arg)
{
    struct change *ch = arg;
    const struct user_patch *p = ch->patch;
    struct user was, u;
    int64_t changed;

    TRY(read_governed(c, ch->id, p->if_version, &was));
    u = was;
    if (p->set & USER_SET_NAME)
        u.name = p->name;
    if (p->set & USER_SET_EMAIL)
        u.email = ch->email;
    if (p->set & USER_SET_ROLE)
        u.role = p->role;
    if (p->set & USER_SET_STATUS)
        u.status = p->status;
    ch->ends_sessions = u.status != was.status || !str_eq(u.role, was.role);
    if (!str_eq(u.role, was.role))
        TRY(role_may_give(c, "/role", u.role, ROLE_OF_USER));
    if (ch->ends_sessions)
        TRY(owner_stays(c, &was));
    TRY(name_taken(c, user_store_update(c, &u, &changed)));
    if (!changed)
        return match_lost(c, p->if_version);
    return note(c, "user.update", u.id, user_json(c->arena, &was), user_json(c->arena, &u));
}

err user_update(struct ctx *c, struct uuid id, const struct user_patch *p, struct user *out)
{
    struct change ch = {.id = id, .patch = p};

    if (p->set & USER_SET_NAME)
        TRY(check_name(c, "/name", p->name));
    if (p->set & USER_SET_EMAIL)
        TRY(check_email(c, "/email", p->email, &ch.email));
    TRY(db_tx(c, update, &ch));
    if (ch.ends_sessions)
        end_sessions(c, id);
    return user_get(c, id, out);
}

static err delete(struct ctx *c, void *arg)
{
    const struct change *ch = arg;
    struct user u;
    int64_t changed;

    TRY(read_governed(c, ch->id, ch->patch->if_version, &u));
    TRY(owner_stays(c, &u));
    TRY(grant_forget_grantee(c, GRANTEE_USER, UUID_STR(u.id)));
    TRY(user_store_delete(c, u.id, u.version, &changed));
    if (!changed)
        return match_lost(c, ch->patch->if_version);
    return note(c, "user.delete", u.id, user_json(c->arena, &u), NULL);
}

err user_delete(struct ctx *c, struct uuid id, int64_t if_version)
{
    struct change ch = {.id = id, .patch = &(struct user_patch){.if_version = if_version}};

    TRY(db_tx(c, delete, &ch));
    end_sessions(c, id);
    return ERR_OK;
}

/* ---- passwords and the operator flag */

struct secret {
    struct uuid id;
    const char *hash;
    bool is_operator;
};

static err set_password(struct ctx *c, void *arg)
{
    const struct secret *s = arg;

    TRY(user_store_set_password(c, s->id, s->hash));
    return note(c, "user.password", s->id, NULL, NULL);
}

/* Guessing the old one is throttled as logins are. */
static err check_old(struct ctx *c, struct uuid id, const char *old_password)
{
    const char *hash, *who = arena_strdup(c->arena, UUID_STR(id));
    err e = login_throttle(c, "user", who);

    if (e == ERR_RATE)
        return e;
    ctx_forgive(c);                  /* Redis away: the old password is asked for all the same */
    TRY(user_store_password(c, id, &hash));
    if (!password_matches(c, hash, old_password)) {
        audit_refusal(c, "user.refuse", "user", id, "old password");
        return fail_field(c, "/old_password", "wrong password");
    }
    login_relax(c, "user", who);
    return ERR_OK;
}

err user_set_password(struct ctx *c, struct uuid id, const char *old_password, const char *new_password)
{
    struct secret s = {.id = id};
    struct user u;

    if (c->who->kind == PRINCIPAL_USER && uuid_eq(c->who->id, id)) {
        TRY(check_old(c, id, old_password));
    } else {
        TRY(access_permit(c, PERM_ACCOUNT_MANAGE));
        TRY(user_get(c, id, &u));
        TRY(user_may_govern(c, &u));
    }
    TRY(password_hash(c, "/new_password", new_password, &s.hash));
    TRY(db_tx(c, set_password, &s));
    end_sessions(c, id);
    return ERR_OK;
}

static err set_operator(struct ctx *c, void *arg)
{
    const struct secret *s = arg;
    struct json *after = json_obj(c->arena);

    json_set_bool(c->arena, after, "is_operator", s->is_operator);
    TRY(user_store_set_operator(c, s->id, s->is_operator));
    return note(c, "user.operator", s->id, NULL, after);
}

err user_set_operator(struct ctx *c, struct uuid id, bool on)
{
    struct secret s = {.id = id, .is_operator = on};
    struct user u;

    if (c->who->kind != PRINCIPAL_SYSTEM)
        return fail(c, ERR_FORBIDDEN, "operators can be set only with locictl");
    TRY(user_get(c, id, &u));
    return db_tx(c, set_operator, &s);
}
