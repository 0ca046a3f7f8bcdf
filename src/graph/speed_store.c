/* Fields are "<quarter>:<kind>:<bucket>"; see speed_store.h. */
#include "speed_store.h"

#include <stdio.h>

#include "kv.h"
#include "str.h"

#define STEPS_OF_HOUR 4
#define KEPT_S (26 * 3600)
#define HOURS_MAX 32

static struct kv_arg speed_store_key(struct ctx *c, struct uuid account_id, int64_t hour)
{
    return kv_fmt(c, "loci:{%s}:speed:%lld", UUID_STR(account_id), (long long)hour);
}

/* ARGV: how long the key lives, then field and number in turn. */
static const char ADD[] =
    "for i = 2, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end\n"
    "redis.call('EXPIRE', KEYS[1], ARGV[1])\n"
    "return 0\n";

err speed_store_add(struct ctx *c, const struct pace_row *row, int64_t step)
{
    struct kv_arg *args = ARENA_ARRAY(c->arena, struct kv_arg, 2 + 2 * PACE_KINDS * PACE_BUCKETS), *p = args;

    *p++ = speed_store_key(c, row->account_id, step / STEPS_OF_HOUR);
    *p++ = kv_i64(c, KEPT_S);
    for (int k = 0; k < PACE_KINDS; k++)
        for (int b = 0; b < PACE_BUCKETS; b++)
            if (row->n[k][b]) {
                *p++ = kv_fmt(c, "%d:%d:%d", (int)(step % STEPS_OF_HOUR), k, b);
                *p++ = kv_i64(c, row->n[k][b]);
            }
    return kv_eval_later_(c, ADD, 1, args, (size_t)(p - args));
}

static const char READ[] =
    "local out = {}\n"
    "for i, k in ipairs(KEYS) do out[i] = redis.call('HGETALL', k) end\n"
    "return out\n";

static void take_hour(const struct kv_reply *fields, int64_t at, int n, speed_counts *out)
{
    int quarter, kind, bucket;
    int64_t count;

    for (size_t i = 0; i + 1 < fields->n; i += 2) {
        if (sscanf(fields->items[i].s, "%d:%d:%d", &quarter, &kind, &bucket) != 3 || !str_to_i64(fields->items[i + 1].s, &count))
            continue;
        if (at + quarter >= 0 && at + quarter < n && kind >= 0 && kind < PACE_KINDS && bucket >= 0 && bucket < PACE_BUCKETS)
            out[at + quarter][kind][bucket] += count;
    }
}

err speed_store_read(struct ctx *c, int64_t first, int n, speed_counts *out)
{
    int64_t from = first / STEPS_OF_HOUR, to = (first + n - 1) / STEPS_OF_HOUR;
    struct kv_arg keys[HOURS_MAX];
    struct kv_reply r;
    int hours = 0;

    for (int64_t h = from; h <= to && hours < HOURS_MAX; h++)
        keys[hours++] = speed_store_key(c, c->account_id, h);
    TRY(kv_eval_(c, &r, READ, hours, keys, (size_t)hours));
    for (size_t i = 0; i < r.n; i++)
        take_hour(&r.items[i], (from + (int64_t)i) * STEPS_OF_HOUR - first, n, out);
    return ERR_OK;
}
