/* Each change of working memory is one script: value, expiry, size and quota move together or not at all. */
#include "working_store.h"

#include "kv.h"

#define TEXT_(n) #n
#define TEXT(n) TEXT_(n)

/* KEYS: expiry of each key (sorted set), size of each key and of all (hash), scopes of the agent by their last write.
 * ARGV: what all keys begin with, the scope; then what the script needs. */
#define SCOPE_KEYS(c, s) \
    kv_fmt((c), "%s%s:idx", base_of(c), working_scope_text((c)->arena, (s))), \
    kv_fmt((c), "%s%s:len", base_of(c), working_scope_text((c)->arena, (s))), \
    kv_fmt((c), "%sa:%s:scopes", base_of(c), UUID_STR((s)->agent_id)), \
    kv_text(base_of(c)), kv_text(working_scope_text((c)->arena, (s)))

/* What has expired leaves the books first, so that they are true below. No key begins with two underscores: the sum has its
 * own place. */
#define BOOKS \
    "local idx, len, scopes, base, scope = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2]\n" \
    "local t = redis.call('TIME')\n" \
    "local now = t[1] * 1000 + math.floor(t[2] / 1000)\n" \
    "local function name(k) return base .. scope .. ':k:' .. k end\n" \
    "local function forget(k)\n" \
    "  local size = redis.call('HGET', len, k)\n" \
    "  if size then redis.call('HINCRBY', len, '__total', -tonumber(size)) end\n" \
    "  redis.call('HDEL', len, k)\n" \
    "  redis.call('ZREM', idx, k)\n" \
    "end\n" \
    "for _, k in ipairs(redis.call('ZRANGEBYSCORE', idx, '-inf', now)) do forget(k) end\n"

/* admit: nil, or the refusal of a write. keep: writes. The books outlive every key; so that a write has little to do, they and the
 * scope's place among the others are renewed once in a while only. */
#define WRITING BOOKS \
    "local seen = tonumber(redis.call('ZSCORE', scopes, scope))\n" \
    "local sizes = redis.call('HMGET', len, ARGV[3], '__total')\n" \
    "local old, total = tonumber(sizes[1]), tonumber(sizes[2]) or 0\n" \
    "local function crowded()\n" \
    "  for _, s in ipairs(redis.call('ZRANGE', scopes, 0, -1)) do\n" \
    "    if redis.call('ZCOUNT', base .. s .. ':idx', now, '+inf') == 0 then redis.call('ZREM', scopes, s) end\n" \
    "  end\n" \
    "  if redis.call('ZCARD', scopes) >= " TEXT(WORKING_SCOPES) " then\n" \
    "    return {'scopes', 0, 0, redis.call('ZRANGE', scopes, 0, 0)[1]}\n" \
    "  end\n" \
    "end\n" \
    "local function admit(size)\n" \
    "  if not old and redis.call('ZCARD', idx) >= " TEXT(WORKING_KEYS) " then return {'keys', 0, 0} end\n" \
    "  if total + size - (old or 0) > " TEXT(WORKING_BYTES) " then return {'bytes', 0, 0} end\n" \
    "  if not seen then return crowded() end\n" \
    "end\n" \
    "local function keep(k, v, ends)\n" \
    "  local begins = not seen or now - seen > " TEXT(RENEWED_MS) " or (not old and redis.call('EXISTS', idx) == 0)\n" \
    "  redis.call('SET', name(k), v, 'PXAT', ends)\n" \
    "  redis.call('ZADD', idx, ends, k)\n" \
    "  if #v ~= old then redis.call('HSET', len, k, #v, '__total', total + #v - (old or 0)) end\n" \
    "  if begins then\n" \
    "    redis.call('ZADD', scopes, now, scope)\n" \
    "    for _, b in ipairs(KEYS) do redis.call('PEXPIREAT', b, now + " TEXT(WORKING_TTL_MAX) " * 1000 + " TEXT(RENEWED_MS) ") end\n" \
    "  end\n" \
    "  return {'ok', ends, #v, 0, ends - now}\n" \
    "end\n"
#define RENEWED_MS 10000

static const char *base_of(struct ctx *c)
{
    return arena_printf(c->arena, "loci:{%s}:wm:", UUID_STR(c->account_id));
}

/* ---- writing */

static err read_written(struct ctx *c, const struct kv_reply *r, struct working_written *out)
{
    static const struct { const char *text; enum working_word word; } WORDS[] = {
        { "ok", WORKING_OK }, { "exists", WORKING_EXISTS }, { "keys", WORKING_FULL_KEYS }, { "bytes", WORKING_FULL_BYTES },
        { "scopes", WORKING_FULL_SCOPES }, { "type", WORKING_NOT_THAT },
    };

    for (size_t i = 0; r->type == KV_LIST && r->n >= 3 && i < sizeof WORDS / sizeof *WORDS; i++)
        if (str_eq(r->items[0].s, WORDS[i].text)) {
            *out = (struct working_written){ WORDS[i].word, r->items[1].i, r->items[2].i, r->n > 3 ? r->items[3].s : NULL,
                                             r->n > 4 ? r->items[4].i : 0 };
            return ERR_OK;
        }
    return fail(c, ERR_INTERNAL, "unexpected answer of Redis");
}

/* ARGV: key, value, milliseconds to live, '1' if it must not be there yet. */
static const char PUT[] = WRITING
    "local k, v = ARGV[3], ARGV[4]\n"
    "if ARGV[6] == '1' then\n"
    "  local ends = redis.call('ZSCORE', idx, k)\n"
    "  if ends then return {'exists', tonumber(ends), tonumber(redis.call('HGET', len, k)), 0, ends - now} end\n"
    "end\n"
    "return admit(#v) or keep(k, v, now + ARGV[5])\n";

err working_store_put(struct ctx *c, const struct working_scope *s, const char *key, const char *value, int64_t ttl_s,
                      bool if_absent, struct working_written *out)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, PUT, 3, SCOPE_KEYS(c, s), kv_text(key), kv_text(value), kv_i64(c, ttl_s * 1000),
                kv_text(if_absent ? "1" : "0")));
    return read_written(c, &r, out);
}

/* ARGV as of PUT. What others have put there has a quota of its own. */
static const char SHARE[] = WRITING
    "local k, v = ARGV[3], ARGV[4]\n"
    "local keys, bytes = 0, 0\n"
    "for _, other in ipairs(redis.call('ZRANGE', idx, 0, -1)) do\n"
    "  if other:sub(1, 7) == '" WORKING_SHARED "' then\n"
    "    if other == k and ARGV[6] == '1' then\n"
    "      local ends = tonumber(redis.call('ZSCORE', idx, k))\n"
    "      return {'exists', ends, tonumber(redis.call('HGET', len, k)), 0, ends - now}\n"
    "    end\n"
    "    if other ~= k then\n"
    "      keys = keys + 1\n"
    "      bytes = bytes + tonumber(redis.call('HGET', len, other))\n"
    "    end\n"
    "  end\n"
    "end\n"
    "if keys >= " TEXT(WORKING_SHARED_KEYS) " then return {'keys', 0, 0} end\n"
    "if bytes + #v > " TEXT(WORKING_SHARED_BYTES) " then return {'bytes', 0, 0} end\n"
    "return admit(#v) or keep(k, v, now + ARGV[5])\n";

err working_store_share(struct ctx *c, const struct working_scope *target, const char *key, const char *value, int64_t ttl_s,
                        bool if_absent, struct working_written *out)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, SHARE, 3, SCOPE_KEYS(c, target), kv_text(key), kv_text(value), kv_i64(c, ttl_s * 1000),
                kv_text(if_absent ? "1" : "0")));
    return read_written(c, &r, out);
}

/* ARGV: key, item, milliseconds to live. The items of a list stand one to a line, and no other line break is in it, so that
 * they can be told apart and counted without reading the JSON. */
static const char PUSH[] = WRITING
    "local k, item = ARGV[3], ARGV[4]\n"
    "local v = redis.call('GET', name(k)) or '[]'\n"
    "if v:sub(1, 1) ~= '[' then return {'type', 0, 0} end\n"
    "v = v == '[]' and '[' .. item .. ']' or v:sub(1, -2) .. ',\\n' .. item .. ']'\n"
    "local n, at = 1, v:find(',\\n', 1, true)\n"
    "while at do\n"
    "  n = n + 1\n"
    "  at = v:find(',\\n', at + 2, true)\n"
    "end\n"
    "local from, size = 2, #v\n"
    "while n > 1 and (n > " TEXT(WORKING_MESSAGES) " or size > " TEXT(WORKING_CONVERSATION) ") do\n"
    "  local stop = v:find(',\\n', from, true)\n"
    "  size = size - (stop + 2 - from)\n"
    "  from = stop + 2\n"
    "  n = n - 1\n"
    "end\n"
    "if from > 2 then v = '[' .. v:sub(from) end\n"
    "local ends = math.max(now + ARGV[5], tonumber(redis.call('ZSCORE', idx, k) or 0))\n"
    "return admit(#v) or keep(k, v, ends)\n";

err working_store_push(struct ctx *c, const struct working_scope *s, const char *key, const char *item, int64_t ttl_s,
                       struct working_written *out)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, PUSH, 3, SCOPE_KEYS(c, s), kv_text(key), kv_text(item), kv_i64(c, ttl_s * 1000)));
    return read_written(c, &r, out);
}

/* ARGV: key, text, milliseconds to live. A blank line reads \n\n in JSON. Behind one, a text of JSON may be cut: the second
 * backslash has no other before it, so it begins an escape, and the escape ends with its n. */
static const char ADD_TEXT[] = WRITING
    "local k, text = ARGV[3], ARGV[4]\n"
    "local v = redis.call('GET', name(k)) or '\"\"'\n"
    "if v:sub(1, 1) ~= '\"' then return {'type', 0, 0} end\n"
    "v = v == '\"\"' and text or v:sub(1, -2) .. '\\\\n\\\\n' .. text:sub(2)\n"
    "while #v > " TEXT(WORKING_PAD) " do\n"
    "  local at = v:find('\\\\n\\\\n', 2, true)\n"
    "  v = at and '\"' .. v:sub(at + 4) or text\n"
    "end\n"
    "local ends = math.max(now + ARGV[5], tonumber(redis.call('ZSCORE', idx, k) or 0))\n"
    "return admit(#v) or keep(k, v, ends)\n";

err working_store_add_text(struct ctx *c, const struct working_scope *s, const char *key, const char *text, int64_t ttl_s,
                           struct working_written *out)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, ADD_TEXT, 3, SCOPE_KEYS(c, s), kv_text(key), kv_text(text), kv_i64(c, ttl_s * 1000)));
    return read_written(c, &r, out);
}

static const char REMOVE[] = BOOKS
    "local was = redis.call('DEL', name(ARGV[3]))\n"
    "forget(ARGV[3])\n"
    "if redis.call('EXISTS', idx) == 0 then\n"
    "  redis.call('DEL', len)\n"
    "  redis.call('ZREM', scopes, scope)\n"
    "end\n"
    "return was\n";

err working_store_remove(struct ctx *c, const struct working_scope *s, const char *key, bool *was_there)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, REMOVE, 3, SCOPE_KEYS(c, s), kv_text(key)));
    *was_there = r.i > 0;
    return ERR_OK;
}

static const char CLEAR[] = BOOKS
    "local n = 0\n"
    "for _, k in ipairs(redis.call('ZRANGE', idx, 0, -1)) do n = n + redis.call('DEL', name(k)) end\n"
    "redis.call('DEL', idx, len)\n"
    "redis.call('ZREM', scopes, scope)\n"
    "return n\n";

err working_store_clear(struct ctx *c, const struct working_scope *s, int64_t *n)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, CLEAR, 3, SCOPE_KEYS(c, s)));
    *n = r.i;
    return ERR_OK;
}

/* ---- reading */

static struct kv_arg value_key(struct ctx *c, const struct working_scope *s, const char *key)
{
    return kv_fmt(c, "%s%s:k:%s", base_of(c), working_scope_text(c->arena, s), key);
}

err working_store_get(struct ctx *c, const struct working_scope *s, const char *key, const char **value)
{
    struct kv_reply r;

    TRY(kv_cmd(c, &r, kv_text("GET"), value_key(c, s, key)));
    *value = r.type == KV_TEXT ? r.s : NULL;
    return ERR_OK;
}

static const char LIVE[] = BOOKS "return redis.call('ZRANGE', idx, 0, -1)\n";

err working_store_keys(struct ctx *c, const struct working_scope *s, struct strs *keys)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, LIVE, 3, SCOPE_KEYS(c, s)));
    *keys = (struct strs){ARENA_ARRAY(c->arena, const char *, r.n + 1), r.n};
    for (size_t i = 0; i < r.n; i++)
        keys->v[i] = r.items[i].s;
    return ERR_OK;
}

err working_store_values(struct ctx *c, const struct working_scope *s, struct strs keys, const char ***values)
{
    struct kv_arg *args = ARENA_ARRAY(c->arena, struct kv_arg, keys.n + 1);
    struct kv_reply r = {0};

    *values = ARENA_ARRAY(c->arena, const char *, keys.n + 1);
    args[0] = kv_text("MGET");
    for (size_t i = 0; i < keys.n; i++)
        args[i + 1] = value_key(c, s, keys.v[i]);
    if (keys.n)
        TRY(kv_cmd_(c, &r, args, keys.n + 1));
    for (size_t i = 0; i < r.n; i++)
        (*values)[i] = r.items[i].type == KV_TEXT ? r.items[i].s : NULL;
    return ERR_OK;
}

/* KEYS: scopes of the agent. ARGV: what all keys begin with, the scope or '' for all, how many keys, bytes of each value. */
static const char HEADS[] =
    "local base, scope, max = ARGV[1], ARGV[2], tonumber(ARGV[3])\n"
    "local t = redis.call('TIME')\n"
    "local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
    "local out = {}\n"
    "for _, s in ipairs(scope ~= '' and {scope} or redis.call('ZREVRANGE', KEYS[1], 0, -1)) do\n"
    "  local live = redis.call('ZRANGEBYSCORE', base .. s .. ':idx', now, '+inf', 'WITHSCORES')\n"
    "  for i = 1, #live, 2 do\n"
    "    if #out >= 4 * max then return out end\n"
    "    local k = live[i]\n"
    "    local v = redis.call('GETRANGE', base .. s .. ':k:' .. k, 0, ARGV[4] - 1)\n"
    "    if v ~= '' then\n"
    "      out[#out + 1] = s\n"
    "      out[#out + 1] = k\n"
    "      out[#out + 1] = v\n"
    "      out[#out + 1] = tonumber(live[i + 1])\n"
    "    end\n"
    "  end\n"
    "end\n"
    "return out\n";

err working_store_heads(struct ctx *c, const struct working_scope *s, bool all, int64_t bytes, struct live_key *keys, size_t max, size_t *n)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, HEADS, 1, kv_fmt(c, "%sa:%s:scopes", base_of(c), UUID_STR(s->agent_id)), kv_text(base_of(c)),
                kv_text(all ? "" : working_scope_text(c->arena, s)), kv_i64(c, (int64_t)max), kv_i64(c, bytes)));
    *n = 0;
    for (size_t i = 0; i + 3 < r.n && *n < max; i += 4)
        keys[(*n)++] = (struct live_key){ .scope = r.items[i].s, .key = r.items[i + 1].s, .value = r.items[i + 2].s,
                                          .expires_at = { r.items[i + 3].i * 1000 } };
    return ERR_OK;
}

static const char STATS[] = BOOKS
    "return {redis.call('ZCARD', idx), tonumber(redis.call('HGET', len, '__total')) or 0}\n";

err working_store_stats(struct ctx *c, const struct working_scope *s, int64_t *keys, int64_t *bytes)
{
    struct kv_reply r;

    TRY(kv_eval(c, &r, STATS, 3, SCOPE_KEYS(c, s)));
    *keys = r.n > 0 ? r.items[0].i : 0;
    *bytes = r.n > 1 ? r.items[1].i : 0;
    return ERR_OK;
}
