/* Sessions and login tries in Redis. */
#include <sodium.h>
#include <string.h>

#include "config.h"
#include "kv.h"
#include "session_impl.h"
#include "str.h"

#define THROTTLE_S "900"

static struct kv_arg session_store_key(struct ctx *c, struct uuid account_id, const char *kind, const char *name)
{
    return kv_fmt(c, "loci:{%s}:%s%s", UUID_STR(account_id), kind, name);
}

static struct kv_arg session_store_user_key(struct ctx *c, struct uuid account_id, struct uuid user_id)
{
    return session_store_key(c, account_id, "usess:", UUID_STR(user_id));
}

static struct kv_arg users_key(struct ctx *c, struct uuid account_id)
{
    return session_store_key(c, account_id, "sess-users", "");
}

/* ---- sessions: a hash each; a sorted set of ids for each user; a sorted set of users for each account */

/* Ids whose time is over leave the user's set here, so that it cannot grow without bound. */
static const char PUT[] =
    "redis.call('HSET', KEYS[1], 'user', ARGV[1], 'csrf', ARGV[2], 'stamp', ARGV[3], 'created', ARGV[4], 'ends', ARGV[5],"
    " 'seen', ARGV[4], 'ip', ARGV[6], 'agent', ARGV[7])\n"
    "redis.call('EXPIRE', KEYS[1], ARGV[8])\n"
    "redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])\n"
    "redis.call('ZADD', KEYS[2], ARGV[5], ARGV[9])\n"
    "redis.call('EXPIRE', KEYS[2], ARGV[10])\n"
    "redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1])\n"
    "redis.call('EXPIRE', KEYS[3], ARGV[10])\n"
    "return 1\n";

err session_store_put(struct ctx *c, const struct session_row *r)
{
    const struct config *conf = c->app->conf;
    const struct session *s = &r->s;
    int64_t idle = conf->session_idle_s < conf->session_max_s ? conf->session_idle_s : conf->session_max_s;

    return kv_eval(c, NULL, PUT, 3, session_store_key(c, c->account_id, "sess:", s->id), session_store_user_key(c, c->account_id, s->user_id),
                   users_key(c, c->account_id), kv_fmt(c, "%s", UUID_STR(s->user_id)), kv_text(r->csrf),
                   kv_text(r->stamp), kv_i64(c, s->created_at.us), kv_i64(c, s->ends_at.us), kv_text(s->ip),
                   kv_text(s->user_agent), kv_i64(c, idle), kv_text(s->id), kv_i64(c, conf->session_max_s));
}

/* {id, fields…} of each living session; ids of ended ones are dropped on the way. */
static const char LIST[] =
    "local out = {}\n"
    "for _, id in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, 199)) do\n"
    "  local s = redis.call('HMGET', ARGV[1] .. id, 'created', 'ends', 'seen', 'ip', 'agent')\n"
    "  if s[1] then\n"
    "    table.insert(out, {id, s[1], s[2], s[3], s[4] or '', s[5] or ''})\n"
    "  else\n"
    "    redis.call('ZREM', KEYS[1], id)\n"
    "  end\n"
    "end\n"
    "return out\n";

static struct instant read_instant(const char *s)
{
    struct instant t = {0};

    (void)!(s && str_to_i64(s, &t.us));
    return t;
}

err session_store_list(struct ctx *c, struct uuid user_id, struct session **out, size_t *n)
{
    struct kv_reply r;
    struct session *list;
    size_t count = 0;

    TRY(kv_eval(c, &r, LIST, 1, session_store_user_key(c, c->account_id, user_id), session_store_key(c, c->account_id, "sess:", "")));
    list = ARENA_ARRAY(c->arena, struct session, r.n + 1);
    for (size_t i = 0; i < r.n; i++) {
        const struct kv_reply *f = r.items[i].items;

        if (r.items[i].n < 6)
            continue;
        list[count++] = (struct session){.id = f[0].s, .user_id = user_id, .created_at = read_instant(f[1].s),
                                         .ends_at = read_instant(f[2].s), .seen_at = read_instant(f[3].s),
                                         .ip = f[4].s, .user_agent = f[5].s};
    }
    *out = list;
    *n = count;
    return ERR_OK;
}

static const char END[] =
    "if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end\n"
    "redis.call('DEL', KEYS[1])\n"
    "return 1\n";

err session_store_end(struct ctx *c, struct uuid account_id, struct uuid user_id, const char *id, bool *ended)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, END, 2, session_store_key(c, account_id, "sess:", id), session_store_user_key(c, account_id, user_id), kv_text(id)));
    *ended = r.i == 1;
    return ERR_OK;
}

err session_store_end_key(struct ctx *c, const struct session_key *k)
{
    struct kv_reply r;
    struct uuid user_id;
    bool ended;

    TRY(kv_cmd(c, &r, kv_text("HGET"), session_store_key(c, k->account_id, "sess:", k->id), kv_text("user")));
    if (r.type != KV_TEXT || !uuid_parse(r.s, &user_id))
        return ERR_OK;
    return session_store_end(c, k->account_id, user_id, k->id, &ended);
}

static const char END_ALL[] =
    "for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('DEL', ARGV[1] .. id) end\n"
    "redis.call('DEL', KEYS[1])\n"
    "redis.call('ZREM', KEYS[2], ARGV[2])\n"
    "return 1\n";

err session_store_end_all(struct ctx *c, struct uuid user_id)
{
    return kv_eval(c, NULL, END_ALL, 2, session_store_user_key(c, c->account_id, user_id), users_key(c, c->account_id),
                   session_store_key(c, c->account_id, "sess:", ""), kv_fmt(c, "%s", UUID_STR(user_id)));
}

/* The users looked at move to the end of the set's order by time, so that the next run goes on with others. */
static const char PRUNE[] =
    "local gone = 0\n"
    "for _, user in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[3] - 1)) do\n"
    "  local left = 0\n"
    "  for _, id in ipairs(redis.call('ZRANGE', ARGV[2] .. user, 0, -1)) do\n"
    "    if redis.call('EXISTS', ARGV[1] .. id) == 0 then\n"
    "      gone = gone + redis.call('ZREM', ARGV[2] .. user, id)\n"
    "    else\n"
    "      left = left + 1\n"
    "    end\n"
    "  end\n"
    "  if left == 0 then redis.call('ZREM', KEYS[1], user) else redis.call('ZADD', KEYS[1], ARGV[4], user) end\n"
    "end\n"
    "return gone\n";

err session_store_prune(struct ctx *c, int64_t limit, int64_t *n)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, PRUNE, 1, users_key(c, c->account_id), session_store_key(c, c->account_id, "sess:", ""),
                session_store_key(c, c->account_id, "usess:", ""), kv_i64(c, limit),
                kv_i64(c, c->now.us + c->app->conf->session_max_s * SECOND_US)));
    *n = r.i;
    return ERR_OK;
}

/* ---- login tries: counted before the password is looked at, so that many at once count as many */

static const char TRY_ONCE[] =
    "if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then\n"
    "  return math.max(redis.call('TTL', KEYS[1]), 1)\n"
    "end\n"
    "if redis.call('INCR', KEYS[1]) == 1 then redis.call('EXPIRE', KEYS[1], " THROTTLE_S ") end\n"
    "return 0\n";

/* Hashed, since what people type into a login form is not for keys of a shared store. */
static struct kv_arg try_key(struct ctx *c, const char *kind, const char *name)
{
    uint8_t h[16];
    char hex[2 * sizeof h + 1];

    crypto_generichash(h, sizeof h, (const unsigned char *)name, strlen(name), c->app->secret, SECRET_BYTES);
    hex_encode(h, sizeof h, hex);
    return kv_fmt(c, "loci:{login}:%s:%s", kind, hex);
}

err login_throttle(struct ctx *c, const char *kind, const char *name)
{
    int64_t tries = c->app->conf->login_tries * (str_eq(kind, "address") ? ADDRESS_FACTOR : 1);
    struct kv_reply r;
    err e;

    TRY(kv_eval(c, &r, TRY_ONCE, 1, try_key(c, kind, name), kv_i64(c, tries)));
    if (r.i == 0)
        return ERR_OK;
    e = fail(c, ERR_RATE, "too many failed logins; wait a while");
    c->fault.retry_after_s = (int)r.i;
    return e;
}

static const char GIVE_BACK[] =
    "if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end\n"
    "return 0\n";

void login_refund(struct ctx *c, const char *kind, const char *name)
{
    struct fault kept = c->fault;

    if (kv_eval(c, NULL, GIVE_BACK, 1, try_key(c, kind, name)) != ERR_OK)
        c->fault = kept;
}

void login_relax(struct ctx *c, const char *kind, const char *name)
{
    struct fault kept = c->fault;

    if (kv_cmd(c, NULL, kv_text("DEL"), try_key(c, kind, name)) != ERR_OK)
        c->fault = kept;
}
