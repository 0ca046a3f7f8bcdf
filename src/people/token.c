/* Tokens: made for an owner who exists and may no more than their maker, shown once, revoked at once. */
#include "token.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "audit.h"
#include "db.h"
#include "json.h"
#include "limit.h"
#include "role.h"
#include "str.h"
#include "strs_json.h"
#include "thing.h"
#include "token_store.h"
#include "user.h"

static const struct field TOKEN_COLUMNS[] = {
    F_ID(struct token, "id of the token"),
    F_STR(struct token, name, COL_READ | COL_CREATE | FIELD_REQUIRED, 1, LIMIT_NAME, "purpose"),
    F_UUID(struct token, user_id, COL_READ | COL_CREATE | FIELD_NULLABLE, "owner, if a user; default: the caller"),
    F_UUID(struct token, agent_id, COL_READ | COL_CREATE | FIELD_NULLABLE, "owner, if an agent"),
    F_STR(struct token, prefix, COL_READ, 0, 0, "public part of the token"),
    F_BYTES(struct token, hash, COL_ROW | COL_SEALED, "hash of the secret part"),
    F_STRS(struct token, scopes, COL_READ | COL_CREATE | FIELD_NULLABLE, LIMIT_SCOPES,
           "scopes: permissions, or areas such as memory.*; null: all permissions of its owner"),
    F_TIME(struct token, expires_at, COL_READ | COL_CREATE | FIELD_NULLABLE, "expiry time; none: valid until revoked"),
    F_TIME(struct token, revoked_at, COL_READ | FIELD_NULLABLE, "when it was revoked"),
    F_TIME(struct token, last_used_at, COL_READ | FIELD_NULLABLE, "last use, to the minute"),
    F_STR(struct token, last_ip, COL_READ | FIELD_NULLABLE, 0, 0, "IP address of the last use"),
    F_ENUM(struct token, toolset, COL_READ | COL_CREATE, toolset, TOOLSET_CORE,
           "MCP tools shown to the client. core: fifteen tools with short text answers. full: all tools the token may call, with structured "
           "answers"),
    F_TIME(struct token, created_at, COL_READ | COL_BORN, "when it was created"),
    F_STR(struct token, secret, COL_MADE | FIELD_SECRET, 0, 0, "the token; shown only once"),
    F_END
};
const struct thing TOKEN = THING("token", TOKEN_COLUMNS, struct token, .changed = access_changed, .schema = "Token");

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

static err token_note(struct ctx *c, const char *kind, const struct token *t)
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

/* The caller, where no owner is named. */
static err default_owner(struct ctx *c, struct token *t)
{
    if (!uuid_is_nil(t->user_id) && !uuid_is_nil(t->agent_id))
        return fail_field(c, "/agent_id", "a token has one owner: give user_id or agent_id");
    if (!uuid_is_nil(t->user_id) || !uuid_is_nil(t->agent_id))
        return ERR_OK;
    if (c->who->kind == PRINCIPAL_SYSTEM)
        return fail_field(c, "/user_id", "give the owner of the token: user_id or agent_id");
    *(c->who->kind == PRINCIPAL_USER ? &t->user_id : &t->agent_id) = c->who->id;
    return ERR_OK;
}

static void token_make_secret(struct ctx *c, struct token *t)
{
    char id[TOKEN_SECRET + 1], secret[TOKEN_SECRET + 1];
    uint8_t *hash = arena_alloc(c->arena, TOKEN_HASH);

    token_random(id);
    token_random(secret);
    token_hash(c->app, secret, hash);
    t->hash = (struct bytes){hash, TOKEN_HASH};
    t->prefix = arena_strndup(c->arena, id + TOKEN_SECRET - TOKEN_PREFIX, TOKEN_PREFIX);
    t->secret = arena_printf(c->arena, "loci_%s_%s", t->prefix, secret);
}

static err token_create_tx(struct ctx *c, const struct token *in, struct token *out)
{
    struct token t = *in;
    struct owner owner;

    if (!t.scopes.n)
        t.scopes = (struct strs){0};
    TRY(default_owner(c, &t));
    if (!is_mine(c, t.user_id, t.agent_id))
        TRY(access_permit(c, PERM_ACCOUNT_MANAGE));
    TRY(thing_begin(c, &TOKEN, &t));
    TRY(check_expiry(c, &t));
    TRY(find_owner(c, &t, &owner));
    TRY(check_scopes(c, &t, owner.role));
    token_make_secret(c, &t);
    TRY(token_store_insert(c, &t));
    TRY(token_note(c, "token.create", &t));
    *out = t;
    return ERR_OK;
}
DB_TX(token_create, struct token, struct token)

/* ---- reading and revoking */

err token_get(struct ctx *c, struct uuid id, struct token *out)
{
    TRY(thing_get(c, &TOKEN, id, out));
    if (!may_see_all(c) && !is_mine(c, out->user_id, out->agent_id))
        return fail(c, ERR_NOT_FOUND, "no such token");
    return ERR_OK;
}

err token_list(struct ctx *c, const struct token_filter *f, struct page *out)
{
    struct token_filter mine = *f;
    struct uuid before, *own = c->who->kind == PRINCIPAL_USER ? &mine.user_id : &mine.agent_id;

    TRY(page_begin(c, f->cursor, &before));
    if (!may_see_all(c) && uuid_is_nil(*own))
        *own = c->who->id;
    /* Asking for what one may not see is asking for nothing. */
    if (may_see_all(c) || is_mine(c, mine.user_id, mine.agent_id))
        return token_store_list(c, &mine, before, out);
    *out = (struct page){0};
    return ERR_OK;
}

static err token_revoke_tx(struct ctx *c, const struct thing_key *key)
{
    struct token t;
    int64_t changed;

    TRY(token_get(c, key->id, &t));
    TRY(token_store_revoke(c, t.id, &changed));
    return changed ? token_note(c, "token.revoke", &t) : ERR_OK;
}
DB_TX_IN(token_revoke, struct thing_key)
