/* The access gate: who is calling, what they may call, and which spaces they may touch. */
#include "access.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "access_impl.h"
#include "app.h"
#include "audit.h"
#include "config.h"
#include "db.h"
#include "metrics.h"
#include "row.h"
#include "session_key.h"
#include "space.h"

ENUMX_DEFINE(access_level, ACCESS_LEVEL);

static const struct metric HITS = {"loci_access_hits_total", METRIC_COUNTER,
                                   "requests whose access set was cached in the process"};
static const struct metric ENTRIES = {"loci_access_entries", METRIC_GAUGE, "access sets kept in the process"};
static const struct metric BYTES = {"loci_access_bytes", METRIC_GAUGE, "memory of these sets"};
static const struct metric LOADS = {"loci_access_loads_total", METRIC_COUNTER,
                                    "requests whose access set was read from MariaDB"};

/* ---- questions */

static const struct space_access *access_find(const struct access *a, struct uuid space_id)
{
    size_t lo = 0, hi = a ? a->n : 0;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int cmp = uuid_cmp(space_id, a->spaces[mid].space_id);

        if (cmp == 0)
            return &a->spaces[mid];
        *(cmp < 0 ? &hi : &lo) = cmp < 0 ? mid : mid + 1;
    }
    return NULL;
}

enum access_level access_level(const struct access *a, struct uuid space_id)
{
    const struct space_access *s = access_find(a, space_id);

    return s ? s->level : ACCESS_NONE;
}

int access_space_kind(const struct access *a, struct uuid space_id)
{
    const struct space_access *s = access_find(a, space_id);

    return s ? s->kind : -1;
}

bool access_may_read(const struct ctx *c, struct uuid space_id)
{
    return access_level(c->access, space_id) >= ACCESS_READ;
}

bool access_may_write(const struct ctx *c, struct uuid space_id)
{
    const struct space_access *s = access_find(c->access, space_id);

    return s && s->level >= ACCESS_WRITE && !s->archived;
}

bool access_may_manage(const struct ctx *c, struct uuid space_id)
{
    return access_level(c->access, space_id) >= ACCESS_MANAGE;
}

err access_roles(struct ctx *c, struct strs *out)
{
    return access_store_roles(c, out);
}

/* Whoever may read a domain but not write it learns which role was looked at, and what it would need. */
static err access_refuse_domain(struct ctx *c, const struct space_access *s, enum access_level level)
{
    struct space row;
    struct strs roles;
    struct buf names;
    bool found;

    TRY(row_get(c, &SPACE, s->space_id, &found, &row));
    TRY(access_store_roles(c, &roles));
    buf_init(&names, c->arena, 256);
    for (size_t i = 0; i < roles.n; i++)
        buf_printf(&names, "%s%s", i ? ", " : "", roles.v[i]);
    return fail_reason(c, ERR_FORBIDDEN, "insufficient_memory_permission", "domain '%s' needs %s; role %s has %s", found ? row.slug : "",
        enumx_name(&access_level_enumx, (int)level), buf_str(&names), enumx_name(&access_level_enumx, (int)s->level));
}

err access_require(struct ctx *c, struct uuid space_id, enum access_level level)
{
    const struct space_access *s = access_find(c->access, space_id);

    if (!s)
        return fail(c, ERR_NOT_FOUND, "no such space");
    if (s->archived && level == ACCESS_WRITE)
        return fail(c, ERR_FORBIDDEN, "the space is archived and read-only");
    if (s->level >= level)
        return ERR_OK;
    audit_refusal(c, "access.refuse", "space", space_id, enumx_name(&access_level_enumx, (int)level));
    if (s->kind == SPACE_DOMAIN)
        return access_refuse_domain(c, s, level);
    return fail(c, ERR_FORBIDDEN, "you have %s access to this space, not %s", enumx_name(&access_level_enumx, (int)s->level),
                enumx_name(&access_level_enumx, (int)level));
}

struct uuids access_spaces(const struct ctx *c)
{
    return (struct uuids){c->access->readable, c->access->n};
}

struct uuids access_spaces_of(struct ctx *c, int kind)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, c->access->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < c->access->n; i++)
        if (c->access->spaces[i].kind == kind || c->access->spaces[i].kind < 0)
            ids[n++] = c->access->spaces[i].space_id;
    return (struct uuids){ids, n};
}

err access_spaces_in(struct ctx *c, struct uuid wanted, struct uuids *out)
{
    *out = access_spaces(c);
    if (uuid_is_nil(wanted))
        return ERR_OK;
    TRY(access_require(c, wanted, ACCESS_READ));
    *out = (struct uuids){arena_memdup(c->arena, &wanted, sizeof wanted), 1};
    return ERR_OK;
}

err access_permit(struct ctx *c, enum permission p)
{
    if (c->who && permissions_have(c->who->perms, p))
        return ERR_OK;
    audit_refusal(c, "access.refuse", "permission", (struct uuid){0}, enumx_name(&permission_enumx, (int)p));
    return fail(c, ERR_FORBIDDEN, "missing permission: %s", enumx_name(&permission_enumx, (int)p));
}

/* ---- identity */

static err access_refuse(struct ctx *c)
{
    return fail(c, ERR_UNAUTHORIZED, "the token or session is invalid, expired or revoked");
}

/* The sets in an entry are shared: nobody writes to them. */
static void access_become(struct ctx *c, const struct access_load *load)
{
    c->who = arena_memdup(c->arena, &load->who, sizeof load->who);
    c->access = arena_memdup(c->arena, &load->access, sizeof load->access);
    c->account_id = load->who.account_id;
}

/* Nothing in it has expired, and it is not older than we let anything become. */
static bool is_young(const struct ctx *c, const struct access_entry *e)
{
    const struct access_load *l = &e->load;

    return clock_monotonic_us() - e->loaded_us < ACCESS_MAX_AGE_US && (!l->good_until.us || l->good_until.us > c->now.us);
}

static bool still_good(const struct ctx *c, const struct access_entry *e, const struct gate *gate)
{
    return gate->known && !gate->dirty && str_eq(e->generation, gate->generation) && is_young(c, e);
}

/* The generation was read before the load, so that a change in between makes the entry stale, never wrong. */
static void access_keep(struct ctx *c, const uint8_t key[ACCESS_KEY], const struct access_load *load, const struct gate *gate,
                        int64_t began_us)
{
    size_t entries, bytes;

    metrics_add(c->app->metrics, &LOADS, "", 1);
    if (!c->app->access_cache || !gate->known || gate->dirty)
        return;
    access_cache_put(c->app->access_cache, key, load, gate->generation, began_us);
    access_cache_size(c->app->access_cache, &entries, &bytes);
    metrics_set(c->app->metrics, &ENTRIES, "", (double)entries);
    metrics_set(c->app->metrics, &BYTES, "", (double)bytes);
}

/* A use that cannot be noted is no reason to refuse. */
static void note_use(struct ctx *c, const struct access_load *load)
{
    if (load->last_used_at.us > c->now.us - 60 * SECOND_US)
        return;
    if (access_store_used(c, &load->who) != ERR_OK)
        ctx_forgive(c);
}

/* At most a twentieth of a second's requests at once: the bucket stays exact where rates are low, and is rarely asked where
 * they are high. */
static int lease_size(const struct ctx *c)
{
    int64_t n = c->app->feed ? c->app->conf->http_rate_per_s / 20 : 1;

    return n < 1 ? 1 : n > 256 ? 256 : (int)n;
}

/* The cached entry of this very token, or NULL. */
static const struct access_entry *cached(struct ctx *c, const uint8_t hash[TOKEN_HASH], const char *prefix)
{
    const struct access_entry *e = access_cache_find(c->app->access_cache, c->arena, hash);

    return e && str_eq(e->load.prefix, prefix) ? e : NULL;
}

/* Asks Redis, and MariaDB when the set is not the current one. */
static err ask_gate(struct ctx *c, const uint8_t hash[TOKEN_HASH], const struct access_entry *e, struct uuid account_id,
                    struct uuid token_id, bool counts, struct rate_state *rate)
{
    struct access_moment at = access_cache_listen(c->app->access_cache, c->app);
    int64_t began_us = clock_monotonic_us();
    struct access_lease lease = {0};
    struct access_load load;
    struct gate gate = {0};
    int want = !counts ? 0 : e ? access_cache_want(c->app->access_cache, e, lease_size(c)) : 1;
    err taken = access_gate_token(c, account_id, UUID_STR(token_id), want, &gate, &lease);
    bool found;

    *rate = lease.rate;              /* of a refusal, too */
    TRY(taken);
    if (e && still_good(c, e, &gate)) {
        metrics_add(c->app->metrics, &HITS, "", 1);
        lease.left -= counts;
        access_cache_trust(c->app->access_cache, e, at, &lease);
        access_become(c, &e->load);
        return ERR_OK;
    }
    TRY(access_store_token(c, account_id, token_id, &found, &load));
    if (!found)
        return access_refuse(c);
    access_keep(c, hash, &load, &gate, began_us);
    access_become(c, &load);
    note_use(c, &load);
    return ERR_OK;
}

static err by_token(struct ctx *c, const char *token, bool counts, struct rate_state *rate)
{
    char prefix[TOKEN_PREFIX + 1];
    const char *secret;
    uint8_t hash[TOKEN_HASH];
    const struct access_entry *e;
    struct uuid account_id, token_id;
    struct access_moment at;
    bool found;

    *rate = (struct rate_state){0};
    if (!token_parse(token, prefix, &secret))
        return access_refuse(c);
    token_hash(c->app, secret, hash);
    at = access_cache_listen(c->app->access_cache, c->app);
    e = cached(c, hash, prefix);
    if (e && is_young(c, e) && (counts ? access_cache_spend(c->app->access_cache, e, at, rate)
                                       : access_cache_is_trusted(c->app->access_cache, e, at))) {
        metrics_add(c->app->metrics, &HITS, "", 1);
        access_become(c, &e->load);
        return ERR_OK;
    }
    if (e)
        return ask_gate(c, hash, e, e->load.who.account_id, e->load.who.token_id, counts, rate);
    TRY(access_store_locate(c, prefix, hash, &found, &account_id, &token_id));
    return found ? ask_gate(c, hash, NULL, account_id, token_id, counts, rate) : access_refuse(c);
}

err access_by_token(struct ctx *c, const char *token, struct rate_state *rate)
{
    return by_token(c, token, true, rate);
}

err access_again_by_token(struct ctx *c, const char *token)
{
    struct rate_state rate;

    return by_token(c, token, false, &rate);
}

/* People are cached under their id, whatever the number of their sessions. */
static void access_user_key(struct uuid account_id, struct uuid user_id, uint8_t key[ACCESS_KEY])
{
    struct uuid both[2] = {account_id, user_id};

    crypto_generichash(key, ACCESS_KEY, (const unsigned char *)both, sizeof both, NULL, 0);
}

void access_stamp(const char *password_hash, char out[ACCESS_STAMP])
{
    uint8_t h[crypto_generichash_BYTES_MIN];

    crypto_generichash(h, sizeof h, (const unsigned char *)password_hash, strlen(password_hash), NULL, 0);
    hex_encode(h, (ACCESS_STAMP - 1) / 2, out);
}

static err user_set(struct ctx *c, struct uuid account_id, struct uuid user_id, const struct gate *gate,
                    const struct access_load **out)
{
    uint8_t key[ACCESS_KEY];
    const struct access_entry *e;
    struct access_load *load = ARENA_NEW(c->arena, struct access_load);
    int64_t began_us = clock_monotonic_us();
    bool found;

    access_user_key(account_id, user_id, key);
    e = access_cache_find(c->app->access_cache, c->arena, key);
    if (e && still_good(c, e, gate)) {
        metrics_add(c->app->metrics, &HITS, "", 1);
        *out = &e->load;
        return ERR_OK;
    }
    TRY(access_store_user(c, account_id, user_id, &found, load));
    if (!found)
        return access_refuse(c);
    access_keep(c, key, load, gate, began_us);
    *out = load;
    return ERR_OK;
}

err access_by_session(struct ctx *c, const char *cookie, struct rate_state *rate)
{
    struct session_key k;
    struct gate gate = {0};
    struct gate_session session;
    const struct access_load *load = NULL;

    *rate = (struct rate_state){0};
    if (!session_key(c->app, cookie, &k))
        return access_refuse(c);
    TRY(access_gate_session(c, k.account_id, k.id, &gate, &session, rate));
    if (!session.found)
        return access_refuse(c);
    TRY(user_set(c, k.account_id, session.user_id, &gate, &load));
    if (!str_eq(session.stamp, load->stamp))     /* the password was changed since */
        return access_refuse(c);
    access_become(c, load);
    c->who->session = arena_strdup(c->arena, k.id);
    c->who->csrf = session.csrf;
    return ERR_OK;
}

err access_as_user(struct ctx *c, struct uuid account_id, struct uuid user_id)
{
    struct access_load load;
    bool found;

    TRY(access_store_user(c, account_id, user_id, &found, &load));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "user unknown or disabled");
    access_become(c, &load);
    return ERR_OK;
}

err access_as_agent(struct ctx *c, struct uuid account_id, struct uuid agent_id)
{
    struct access_load load;
    bool found;

    TRY(access_store_agent(c, account_id, agent_id, &found, &load));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "agent unknown or not active");
    access_become(c, &load);
    return ERR_OK;
}

err access_as_system(struct ctx *c, struct uuid account_id, const char *name)
{
    struct access_load load;
    bool found;

    TRY(access_store_system(c, account_id, &found, &load));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such account");
    load.who.name = arena_strdup(c->arena, name);
    access_become(c, &load);
    return ERR_OK;
}

/* ---- changes */

struct change {
    struct uuid account_id;
    const char *nonce;
};

static void settled(struct ctx *c, void *arg)
{
    struct change *ch = arg;

    if (access_gate_settled(c, ch->account_id, ch->nonce) != ERR_OK)
        access_cache_clear(c->app->access_cache);
}

static bool already_marked(const struct ctx *c)
{
    for (const struct tx_after *t = c->tx_after; t; t = t->next)
        if (t->run == settled && uuid_eq(((const struct change *)t->arg)->account_id, c->account_id))
            return true;
    return false;
}

/* With Redis away nobody uses cached sets, so there is nothing to end. */
err access_changed(struct ctx *c)
{
    struct fault kept = c->fault;
    struct change *ch;
    char secret[TOKEN_SECRET + 1];

    assert(db_in_tx(c));
    if (already_marked(c))
        return ERR_OK;
    token_random(secret);
    ch = ARENA_NEW(c->arena, struct change);
    *ch = (struct change){c->account_id, arena_printf(c->arena, "dirty:%.24s", secret)};
    if (access_gate_dirty(c, ch->account_id, ch->nonce) != ERR_OK)
        c->fault = kept;
    ctx_after_tx(c, settled, ch);
    return ERR_OK;
}
