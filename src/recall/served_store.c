/* What was served to a principal, in Redis. */
#include "served_store.h"

#include "kv.h"
#include "served.h"

/* ARGV: now, the oldest second that stays, how many stay, how long the keys live, then hash and node in turn. */
static const char PUT[] =
    "local by_time, of = {}, {}\n"
    "for i = 5, #ARGV, 2 do\n"
    "  by_time[#by_time + 1] = ARGV[1]\n"
    "  by_time[#by_time + 1] = ARGV[i]\n"
    "  of[#of + 1] = ARGV[i]\n"
    "  of[#of + 1] = ARGV[i + 1]\n"
    "end\n"
    "redis.call('ZADD', KEYS[1], unpack(by_time))\n"
    "redis.call('HSET', KEYS[2], unpack(of))\n"
    "local old = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', 0, 2000)\n"
    "local over = redis.call('ZCARD', KEYS[1]) - #old - tonumber(ARGV[3])\n"
    "if over > 0 then\n"
    "  old = redis.call('ZRANGE', KEYS[1], 0, #old + over - 1)\n"
    "end\n"
    "if #old > 0 then\n"
    "  redis.call('ZREM', KEYS[1], unpack(old))\n"
    "  redis.call('HDEL', KEYS[2], unpack(old))\n"
    "end\n"
    "redis.call('EXPIRE', KEYS[1], ARGV[4])\n"
    "redis.call('EXPIRE', KEYS[2], ARGV[4])\n"
    "return #old\n";

err served_store_put(struct ctx *c, struct uuid principal_id, const struct served_row *rows, size_t n)
{
    struct kv_arg *args = ARENA_ARRAY(c->arena, struct kv_arg, 6 + 2 * n), *p = args;
    const char *account = UUID_STR(c->account_id), *principal = UUID_STR(principal_id);
    int64_t now = c->now.us / 1000000;

    *p++ = kv_fmt(c, "loci:{%s}:served:%s", account, principal);
    *p++ = kv_fmt(c, "loci:{%s}:served:%s:of", account, principal);
    *p++ = kv_i64(c, now);
    *p++ = kv_i64(c, now - SERVED_SECONDS);
    *p++ = kv_i64(c, SERVED_MAX);
    *p++ = kv_i64(c, SERVED_SECONDS);
    for (size_t i = 0; i < n; i++) {
        *p++ = kv_fmt(c, "%016llx", (unsigned long long)rows[i].hash);
        *p++ = kv_fmt(c, "%s", UUID_STR(rows[i].node_id));
    }
    return kv_eval_later_(c, PUT, 2, args, (size_t)(p - args));
}

/* ARGV: the oldest second that counts, then the hashes. */
static const char FIND[] =
    "local out = {}\n"
    "for i = 2, #ARGV do\n"
    "  local at = redis.call('ZSCORE', KEYS[1], ARGV[i])\n"
    "  out[i - 1] = at and tonumber(at) >= tonumber(ARGV[1]) and redis.call('HGET', KEYS[2], ARGV[i]) or ''\n"
    "end\n"
    "return out\n";

err served_store_find(struct ctx *c, struct uuid principal_id, struct served_row *rows, size_t n)
{
    struct kv_arg *args = ARENA_ARRAY(c->arena, struct kv_arg, 3 + n), *p = args;
    const char *account = UUID_STR(c->account_id), *principal = UUID_STR(principal_id);
    struct kv_reply found = {.type = KV_NIL};

    *p++ = kv_fmt(c, "loci:{%s}:served:%s", account, principal);
    *p++ = kv_fmt(c, "loci:{%s}:served:%s:of", account, principal);
    *p++ = kv_i64(c, c->now.us / 1000000 - SERVED_SECONDS);
    for (size_t i = 0; i < n; i++)
        *p++ = kv_fmt(c, "%016llx", (unsigned long long)rows[i].hash);
    TRY(kv_eval_(c, &found, FIND, 2, args, (size_t)(p - args)));
    for (size_t i = 0; i < n; i++) {
        const char *id = i < found.n && found.items[i].type == KV_TEXT ? found.items[i].s : "";

        if (!rows[i].hash || !uuid_parse(id, &rows[i].node_id))
            rows[i].node_id = (struct uuid){{0}};
    }
    return ERR_OK;
}
