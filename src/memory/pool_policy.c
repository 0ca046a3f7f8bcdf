/* What a pool keeps; see pool_policy.h. */
#include "pool_policy.h"

#include "str.h"

ENUMX_DEFINE(pool_eviction, POOL_EVICTION);

#define ALLOWED "ttl_seconds, max_size_bytes, max_entries, eviction (or cleanup_strategy)"

static err pool_policy_whole(struct ctx *c, const char *at, const struct json *j, int64_t max, int64_t *out)
{
    if (!json_is(j, JSON_INT) || j->i < 1 || j->i > max)
        return fail_field(c, at, "%s must be a whole number from 1 to %lld", j->key, (long long)max);
    *out = j->i;
    return ERR_OK;
}

static err eviction(struct ctx *c, const char *at, const struct json *j, enum pool_eviction *out)
{
    int value;

    if (!json_is(j, JSON_STR) || !enumx_parse(&pool_eviction_enumx, j->s, &value))
        return fail_field(c, at, "%s must be lru, lfu, oldest, importance or reject", j->key);
    *out = (enum pool_eviction)value;
    return ERR_OK;
}

static err pool_policy_member(struct ctx *c, const struct json *j, struct pool_policy *p)
{
    const char *at = arena_printf(c->arena, "/retention_policy/%s", j->key);

    if (str_eq(j->key, "ttl_seconds")) {
        if (json_is(j, JSON_NULL)) {
            p->ttl_seconds = 0;
            return ERR_OK;
        }
        return pool_policy_whole(c, at, j, POOL_TTL_MAX, &p->ttl_seconds);
    }
    if (str_eq(j->key, "max_size_bytes"))
        return pool_policy_whole(c, at, j, POOL_BYTES_MAX, &p->max_size_bytes);
    if (str_eq(j->key, "max_entries"))
        return pool_policy_whole(c, at, j, POOL_ENTRIES_MAX, &p->max_entries);
    if (str_eq(j->key, "eviction") || str_eq(j->key, "cleanup_strategy"))
        return eviction(c, at, j, &p->eviction);
    return fail_field(c, at, "unknown member '%s' of retention_policy; it takes " ALLOWED, j->key);
}

err pool_policy_read(struct ctx *c, const struct json *said, struct pool_policy *out)
{
    struct pool_policy p = {0, POOL_BYTES, POOL_ENTRIES, POOL_EVICT_LRU};
    const struct json *j = said ? json_opened(c->arena, said) : NULL;

    for (const struct json *m = json_is(j, JSON_OBJ) ? j->first : NULL; m; m = m->next)
        TRY(pool_policy_member(c, m, &p));
    *out = p;
    return ERR_OK;
}

struct json *pool_policy_json(struct arena *a, const struct pool_policy *p)
{
    struct json *o = json_obj(a);

    json_set(a, o, "ttl_seconds", p->ttl_seconds ? json_int(a, p->ttl_seconds) : json_new(a, JSON_NULL));
    json_set_int(a, o, "max_size_bytes", p->max_size_bytes);
    json_set_int(a, o, "max_entries", p->max_entries);
    json_set_str(a, o, "eviction", enumx_name(&pool_eviction_enumx, (int)p->eviction));
    return o;
}
