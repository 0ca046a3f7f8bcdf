/* Tokens: made for an owner who exists and may no more than their maker, shown once, revoked at once. */
#include "token.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "audit.h"
#include "db.h"
#include "input_check.h"
#include "json.h"
#include "limit.h"
#include "role.h"
#include "str.h"
#include "strs_json.h"
#include "token_store.h"
#include "user.h"

static bool is_mine(const struct ctx *c, struct uuid user_id, struct uuid agent_id)
{
    const struct principal *w = c->who;

    return (w->kind == PRINCIPAL_USER && uuid_eq(w->id, user_id)) ||
           (w->kind == PRINCIPAL_AGENT && uuid_eq(w->id, agent_id));
}

static bool may_see_all(const struct ctx *c)
{
    return permissions_have(c->who->perms, PERM_ACCOUNT_MANAGE);
}

static struct json *token_json(struct arena *a, const struct token *t)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "name", t->name);
    json_set_str(a, o, "prefix", t->prefix);
    json_set_str(a, o, "owner", arena_strdup(a, UUID_STR(uuid_is_nil(t->user_id) ? t->agent_id : t->user_id)));
    json_set(a, o, "scopes", t->scopes.v ? strs_to_json(a, t->scopes) : json_new(a, JSON_NULL));
    json_set_str(a, o, "toolset", enumx_name(&toolset_enumx, (int)t->toolset));
    json_set_str(a, o, "expires_at", t->expires_at.us ? arena_strdup(a, instant_text(t->expires_at, (char[INSTANT_TEXT]){0}))
                                                      : NULL);
    return o;
}

static err note(struct ctx *c, const char *kind, const struct token *t)
{
    TRY(audit_add(c, &(struct audit){.kind = kind, .subject_kind = "token", .subject_id = t->id,
                                     .payload = token_json(c->arena, t)}));
    return access_changed(c);
}

/* ---- making */

struct owner {
    const char *role;
    bool active;
};

/* For somebody else the caller governs that one; a nil or unknown owner is a fault of the field. */
static err find_owner(struct ctx *c, const struct token *t, struct owner *out)
{
    const char *pointer = uuid_is_nil(t->user_id) ? "/agent_id" : "/user_id";
    struct user u;
    struct agent a;
    err e;

    if (!uuid_is_nil(t->user_id)) {
        e = user_get(c, t->user_id, &u);
        *out = e == ERR_OK ? (struct owner){u.role, u.status == USER_ACTIVE} : (struct owner){0};
    } else {
        e = agent_get(c, t->agent_id, &a);
        *out = e == ERR_OK ? (struct owner){a.role, a.status == AGENT_ACTIVE} : (struct owner){0};
    }
    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return fail_field(c, pointer, "no user or agent with this id");
    }
    TRY(e);
    if (!out->active)
        return fail_field(c, pointer, "the owner is disabled or archived");
    if (is_mine(c, t->user_id, t->agent_id))
        return ERR_OK;
    return uuid_is_nil(t->user_id) ? role_may_govern(c, a.role) : user_may_govern(c, &u);
}

static err check_scopes(struct ctx *c, const struct token *t, const char *role)
{
    permissions asked = permissions_all();
    struct strs missing;
    struct role r;
    size_t bad;

    TRY(role_get(c, role, &r));
    if (t->scopes.n > LIMIT_SCOPES)
        return fail_field(c, "/scopes", "at most %d scopes", LIMIT_SCOPES);
    if (t->scopes.v)
        for (size_t i = asked = 0; i < t->scopes.n; i++) {
            const char *pointer = arena_printf(c->arena, "/scopes/%zu", i);
            permissions one;

            if (!permissions_parse((struct strs){&t->scopes.v[i], 1}, &one, &bad))
                return fail_field(c, pointer, "no such permission");
            if (!(one & r.perms))
                return fail_field(c, pointer, "the owner of the token does not have this permission");
            asked |= one;
        }
    missing = permissions_strs(c->arena, r.perms & asked & ~c->who->perms);
    if (!missing.n)
        return ERR_OK;
    audit_refusal(c, "token.refuse", "permission", (struct uuid){0}, missing.v[0]);
    return fail(c, ERR_FORBIDDEN, "the token would include %s, which you do not have", missing.v[0]);
}

/* A token that ends cannot make one that lives on. */
static err check_expiry(struct ctx *c, const struct token *t)
{
    struct token maker;
    bool found;

    if (t->expires_at.us && t->expires_at.us <= c->now.us)
        return fail_field(c, "/expires_at", "expires_at is in the past");
    if (uuid_is_nil(c->who->token_id))
        return ERR_OK;
    TRY(token_store_get(c, c->who->token_id, &found, &maker));
    if (!found || !maker.expires_at.us || (t->expires_at.us && t->expires_at.us <= maker.expires_at.us))
        return ERR_OK;
    return fail_field(c, "/expires_at", "a token cannot expire later than the token it is created with");
}

struct making {
    struct token token;
    uint8_t hash[TOKEN_HASH];
};

static err create(struct ctx *c, void *arg)
{
    const struct making *m = arg;
    const struct token *t = &m->token;
    struct owner owner;
    const char *scopes = t->scopes.v ? json_text(c->arena, strs_to_json(c->arena, t->scopes)) : NULL;

    TRY(find_owner(c, t, &owner));
    TRY(check_scopes(c, t, owner.role));
    TRY(token_store_insert(c, t, m->hash, scopes));
    return note(c, "token.create", t);
}

static void make_secret(struct ctx *c, struct making *m)
{
    char id[TOKEN_SECRET + 1], secret[TOKEN_SECRET + 1];

    token_random(id);
    token_random(secret);
    token_hash(c->app, secret, m->hash);
    m->token.prefix = arena_strndup(c->arena, id + TOKEN_SECRET - TOKEN_PREFIX, TOKEN_PREFIX);
    m->token.secret = arena_printf(c->arena, "loci_%s_%s", m->token.prefix, secret);
}

err token_create(struct ctx *c, const struct token_new *in, struct token *out)
{
    struct making m = {.token = {.user_id = in->user_id, .agent_id = in->agent_id, .name = in->name,
                                 .expires_at = in->expires_at, .created_at = c->now, .toolset = in->toolset}};
    struct token *t = &m.token;

    if (in->scopes.n)
        t->scopes = in->scopes;
    if (!uuid_is_nil(t->user_id) && !uuid_is_nil(t->agent_id))
        return fail_field(c, "/agent_id", "a token has one owner: give user_id or agent_id");
    if (uuid_is_nil(t->user_id) && uuid_is_nil(t->agent_id)) {
        if (c->who->kind == PRINCIPAL_SYSTEM)
            return fail_field(c, "/user_id", "give the owner of the token: user_id or agent_id");
        *(c->who->kind == PRINCIPAL_USER ? &t->user_id : &t->agent_id) = c->who->id;
    }
    if (!is_mine(c, t->user_id, t->agent_id))
        TRY(access_permit(c, PERM_ACCOUNT_MANAGE));
    TRY(check_name(c, "/name", t->name));
    TRY(check_expiry(c, t));
    t->id = uuid_new(c->now.us);
    make_secret(c, &m);
    TRY(db_tx(c, create, &m));
    *out = *t;
    return ERR_OK;
}

/* ---- reading and revoking */

err token_get(struct ctx *c, struct uuid id, struct token *out)
{
    struct token t;
    bool found;

    TRY(token_store_get(c, id, &found, &t));
    if (!found || !(may_see_all(c) || is_mine(c, t.user_id, t.agent_id)))
        return fail(c, ERR_NOT_FOUND, "no such token");
    *out = t;
    return ERR_OK;
}

err token_list(struct ctx *c, const struct token_filter *f, struct page *out)
{
    struct token_filter mine = *f;
    struct uuid before, *own = c->who->kind == PRINCIPAL_USER ? &mine.user_id : &mine.agent_id;
    struct token *rows = NULL;
    size_t n = 0;

    TRY(page_begin(c, f->cursor, &before));
    if (!may_see_all(c) && uuid_is_nil(*own))
        *own = c->who->id;
    /* Asking for what one may not see is asking for nothing. */
    if (may_see_all(c) || is_mine(c, mine.user_id, mine.agent_id))
        TRY(token_store_list(c, &mine, before, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct token, id);
    return ERR_OK;
}

static err revoke(struct ctx *c, void *arg)
{
    const struct token *t = arg;
    int64_t changed;

    TRY(token_store_revoke(c, t->id, &changed));
    return changed ? note(c, "token.revoke", t) : ERR_OK;
}

err token_revoke(struct ctx *c, struct uuid id)
{
    struct token t;

    TRY(token_get(c, id, &t));
    return db_tx(c, revoke, &t);
}
