/* The access gate's one round trip to Redis: generation of the account's sets, rate bucket, browser session. */
#include <sodium.h>
#include <string.h>

#include "access_impl.h"
#include "app.h"
#include "changes.h"
#include "config.h"
#include "kv.h"
#include "log.h"

#define GENERATION_LIFE "86400"
#define DIRTY_LIFE "60" /* longer than any transaction; ends a mark whose process has died */

/* Generation in KEYS[1], made from ARGV[1] where it is missing. Bucket in KEYS[2]: the instant up to which it is used up
 * (GCRA), on Redis' own clock, since web hosts may disagree; at most ARGV[4] requests are taken at once; 0: nothing is
 * asked of it. Answers {generation, taken, remaining, ms until full, ms until the next}. */
#define LUA_GATE \
    "local function gate()\n" \
    "  local gen = redis.call('GET', KEYS[1])\n" \
    "  if not gen then\n" \
    "    gen = ARGV[1]\n" \
    "    redis.call('SET', KEYS[1], gen, 'EX', " GENERATION_LIFE ")\n" \
    "  end\n" \
    "  if ARGV[4] == '0' then return {gen, 0, 0, 0, 0} end\n" \
    "  local step = 1000000 / tonumber(ARGV[2])\n" \
    "  local room = step * tonumber(ARGV[3])\n" \
    "  local used = math.max(tonumber(redis.call('GET', KEYS[2]) or 0), now)\n" \
    "  local there = math.floor((now + room - used + 0.5) / step)\n" \
    "  if there < 1 then\n" \
    "    return {gen, 0, 0, math.ceil((used - now) / 1000), math.ceil((used + step - now - room) / 1000)}\n" \
    "  end\n" \
    "  local taken = math.min(there, tonumber(ARGV[4]))\n" \
    "  used = used + taken * step\n" \
    "  redis.call('SET', KEYS[2], string.format('%.0f', used), 'PX', math.ceil((used - now) / 1000) + 1)\n" \
    "  return {gen, taken, there - taken, math.ceil((used - now) / 1000), 0}\n" \
    "end\n"

#define LUA_NOW \
    "local t = redis.call('TIME')\n" \
    "local now = t[1] * 1000000 + t[2]\n"

static const char TOKEN_GATE[] = LUA_NOW LUA_GATE "return gate()\n";

/* Session in KEYS[3]; ARGV[5]: seconds it may stay unused. Nothing is counted for one that does not exist. */
static const char SESSION_GATE[] = LUA_NOW LUA_GATE
    "local s = redis.call('HMGET', KEYS[3], 'user', 'csrf', 'stamp', 'ends')\n"
    "if not s[1] then return {} end\n"
    "local left = tonumber(s[4]) - now\n"
    "if left <= 0 then\n"
    "  redis.call('DEL', KEYS[3])\n"
    "  return {}\n"
    "end\n"
    "redis.call('HSET', KEYS[3], 'seen', string.format('%.0f', now))\n"
    "redis.call('PEXPIRE', KEYS[3], math.ceil(math.min(left / 1000, tonumber(ARGV[5]) * 1000)))\n"
    "local r = gate()\n"
    "r[6], r[7], r[8] = s[1], s[2], s[3]\n"
    "return r\n";

/* Another change may have marked the account after this one: then its mark stays until that one has settled. */
static const char SETTLED[] =
    "local gen = redis.call('GET', KEYS[1])\n"
    "if gen and (gen == ARGV[1] or string.sub(gen, 1, 6) ~= 'dirty:') then redis.call('DEL', KEYS[1]) end\n"
    "return 1\n";

static struct kv_arg access_gate_store_key(struct ctx *c, struct uuid account_id, const char *kind, const char *name)
{
    return kv_fmt(c, "loci:{%s}:%s%s", UUID_STR(account_id), kind, name);
}

static struct kv_arg random_generation(struct ctx *c)
{
    uint8_t raw[12];
    char hex[2 * sizeof raw + 1];

    randombytes_buf(raw, sizeof raw);
    hex_encode(raw, sizeof raw, hex);
    return kv_fmt(c, "%s", hex);
}

static int seconds(int64_t ms)
{
    return (int)((ms + 999) / 1000);
}

/* Reads {generation, taken, remaining, full, next}. */
static err access_gate_store_take(struct ctx *c, const struct kv_reply *r, int want, struct gate *gate, struct access_lease *lease)
{
    const struct kv_reply *i = r->items;
    err e;

    if (r->type != KV_LIST || r->n < 5 || !i[0].s || i[0].len > GENERATION_MAX - 18)
        return fail(c, ERR_INTERNAL, "the gate script gave an odd answer");
    gate->known = true;
    /* A Redis that took over may hold a generation that was over already. */
    snprintf(gate->generation, GENERATION_MAX, "%s %llx", i[0].s, (unsigned long long)kv_master_number());
    gate->dirty = str_starts(gate->generation, "dirty:");
    lease->taken = lease->left = (int)i[1].i;
    lease->until_us = clock_monotonic_us() + ACCESS_LEASE_US;
    lease->rate = (struct rate_state){.known = true, .limit = (int)c->app->conf->http_rate_burst,
                                      .remaining = (int)i[2].i, .reset_s = seconds(i[3].i)};
    if (i[1].i || !want)
        return ERR_OK;
    e = fail(c, ERR_RATE, "too many requests; wait a moment");
    c->fault.retry_after_s = seconds(i[4].i);
    return e;
}

/* Redis failing is no failure of a request that has another way to go. */
static void gate_away(struct ctx *c, struct gate *gate, struct access_lease *lease)
{
    const char *why = c->fault.message;

    ctx_forgive(c);
    *gate = (struct gate){0};
    *lease = (struct access_lease){0};
    access_cache_clear(c->app->access_cache);
    if (access_cache_may_complain(c->app->access_cache))
        log_say(c->app->log, LOG_WARN, "Redis is unavailable (%s): access is read from MariaDB, rates are not limited",
                why ? why : "no answer");
}

err access_gate_token(struct ctx *c, struct uuid account_id, const char *bucket, int want, struct gate *gate,
                      struct access_lease *lease)
{
    const struct config *conf = c->app->conf;
    struct kv_reply r;
    err e = kv_eval(c, &r, TOKEN_GATE, 2, access_gate_store_key(c, account_id, "gen", ""), access_gate_store_key(c, account_id, "rate:", bucket),
                    random_generation(c), kv_i64(c, conf->http_rate_per_s), kv_i64(c, conf->http_rate_burst),
                    kv_i64(c, want));

    if (e == ERR_OK)
        return access_gate_store_take(c, &r, want, gate, lease);
    if (e == ERR_DEADLINE)
        return e;
    gate_away(c, gate, lease);
    return ERR_OK;
}

err access_gate_session(struct ctx *c, struct uuid account_id, const char *session_id, struct gate *gate,
                        struct gate_session *session, struct rate_state *rate)
{
    const struct config *conf = c->app->conf;
    struct access_lease one = {0};
    struct kv_reply r;
    err e;

    TRY(kv_eval(c, &r, SESSION_GATE, 3, access_gate_store_key(c, account_id, "gen", ""), access_gate_store_key(c, account_id, "rate:", session_id),
                access_gate_store_key(c, account_id, "sess:", session_id), random_generation(c), kv_i64(c, conf->http_rate_per_s),
                kv_i64(c, conf->http_rate_burst), kv_text("1"), kv_i64(c, conf->session_idle_s)));
    *session = (struct gate_session){0};
    if (r.type != KV_LIST || r.n < 8)
        return ERR_OK;
    session->found = uuid_parse(r.items[5].s, &session->user_id);
    session->csrf = r.items[6].s;
    session->stamp = r.items[7].s;
    e = access_gate_store_take(c, &r, 1, gate, &one);
    *rate = one.rate;
    return e;
}

/* Told before the commit: by the time the change is acknowledged every process has it in its socket. */
static const char DIRTY[] =
    "redis.call('SET', KEYS[1], ARGV[1], 'EX', " DIRTY_LIFE ")\n"
    "redis.call('PUBLISH', '" CHANGES_CHANNEL "', ARGV[2])\n"
    "return 1\n";

err access_gate_dirty(struct ctx *c, struct uuid account_id, const char *nonce)
{
    return kv_eval(c, NULL, DIRTY, 1, access_gate_store_key(c, account_id, "gen", ""), kv_text(nonce),
                   kv_fmt(c, CHANGES_OF_ACCESS "%s", UUID_STR(account_id)));
}

err access_gate_settled(struct ctx *c, struct uuid account_id, const char *nonce)
{
    return kv_eval(c, NULL, SETTLED, 1, access_gate_store_key(c, account_id, "gen", ""), kv_text(nonce));
}
