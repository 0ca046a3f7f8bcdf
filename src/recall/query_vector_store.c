/* Redis: one text a vector, and one sorted set that knows when each was used last and how large it is. */
#include "query_vector_store.h"

#include <endian.h>
#include <string.h>

#include "kv.h"
#include "limit.h"

#define WEEK_S (7 * 86400)
#define BYTES_MAX (64 * 1024 * 1024)
#define OVERHEAD 320 /* bytes that Redis needs for a key, its place in the set, and their members */

#define USED "{vectors}:used"    /* member "<bytes>:<key>", score: when it was used last */
#define SUM  "{vectors}:bytes"

static const char *query_vector_store_name_of(struct ctx *c, const char *model, const unsigned char key[QUERY_KEY])
{
    char hex[2 * QUERY_KEY + 1];

    hex_encode(key, QUERY_KEY, hex);
    return arena_printf(c->arena, "{vectors}:%s:%s", model, hex);
}

err query_vector_store_get(struct ctx *c, const char *model, const unsigned char key[QUERY_KEY], const float **v, size_t *dim)
{
    struct kv_reply r;
    float *out;

    *v = NULL;
    TRY(kv_cmd(c, &r, kv_text("GET"), kv_text(query_vector_store_name_of(c, model, key))));
    if (r.type != KV_TEXT || !r.len || r.len % sizeof *out || r.len > LIMIT_VECTOR_DIM * sizeof *out)
        return ERR_OK;
    *dim = r.len / sizeof *out;
    out = ARENA_ARRAY(c->arena, float, *dim);
    for (size_t i = 0; i < *dim; i++) {
        uint32_t bits;

        memcpy(&bits, r.s + i * sizeof bits, sizeof bits);
        bits = le32toh(bits);
        memcpy(&out[i], &bits, sizeof bits);
    }
    *v = out;
    return ERR_OK;
}

/* What was used longest ago goes first; what its time has ended is still counted until then, which errs to the safe side. */
static const char PUT[] =
    "local size = tonumber(ARGV[3]) "
    "local member = size .. ':' .. KEYS[3] "
    "if redis.call('SET', KEYS[3], ARGV[1], 'EX', ARGV[2]) and redis.call('ZADD', KEYS[1], ARGV[4], member) == 1 then "
    "  local sum = redis.call('INCRBY', KEYS[2], size) "
    "  while sum > tonumber(ARGV[5]) do "
    "    local old = redis.call('ZPOPMIN', KEYS[1]) "
    "    if not old[1] then redis.call('DEL', KEYS[2]) break end "
    "    local n, key = string.match(old[1], '^(%d+):(.*)$') "
    "    redis.call('DEL', key) "
    "    sum = redis.call('DECRBY', KEYS[2], n) "
    "  end "
    "end";

err query_vector_store_put(struct ctx *c, const char *model, const unsigned char key[QUERY_KEY], const float *v, size_t dim)
{
    const char *name = query_vector_store_name_of(c, model, key);
    uint32_t *le = ARENA_ARRAY(c->arena, uint32_t, dim);
    size_t bytes = dim * sizeof *le;

    for (size_t i = 0; i < dim; i++) {
        memcpy(&le[i], &v[i], sizeof *le);
        le[i] = htole32(le[i]);
    }
    const struct kv_arg args[] = {
        kv_text(USED), kv_text(SUM), kv_text(name), kv_bytes((struct bytes){le, bytes}), kv_i64(c, WEEK_S),
        kv_i64(c, (int64_t)(bytes + 2 * strlen(name)) + OVERHEAD), kv_i64(c, c->now.us / SECOND_US), kv_i64(c, BYTES_MAX)};

    return kv_eval_later_(c, PUT, 3, args, sizeof args / sizeof *args);
}
