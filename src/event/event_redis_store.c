/* The copies of events in Redis Streams, one stream for each account; see event_store.h. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "event_store.h"
#include "kv.h"

#define STREAM_LIFE "86400" /* of one that nothing is added to: the tables have its events, too */
#define EAR_LIFE "60"

/* ARGV: length, message, number of the first, then kind, space and text of each. An event has its number as its id, so it
 * cannot get in twice, and one that is not the next does not get in at all: then the newest number is answered. */
static const char APPEND[] =
    "local top = 0\n"
    "local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)\n"
    "if last[1] then top = tonumber(string.match(last[1][1], '^%d+')) end\n"
    "local first = tonumber(ARGV[3])\n"
    "if top > 0 and first > top + 1 then return top end\n"
    "for i = 4, #ARGV, 3 do\n"
    "  local seq = first + (i - 4) / 3\n"
    "  if seq > top then\n"
    "    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], string.format('%.0f-1', seq), 'k', ARGV[i], 's', ARGV[i + 1], 'e', ARGV[i + 2])\n"
    "  end\n"
    "end\n"
    "redis.call('EXPIRE', KEYS[1], " STREAM_LIFE ")\n"
    "redis.call('PUBLISH', '" EVENT_CHANNEL "', ARGV[2])\n"
    "return -1\n";

static struct kv_arg event_redis_store_key(struct ctx *c)
{
    return kv_fmt(c, "loci:{%s}:events", UUID_STR(c->account_id));
}

static struct kv_arg ear_key(struct ctx *c)
{
    return kv_fmt(c, "loci:{%s}:ear", UUID_STR(c->account_id));
}

static struct kv_arg announcement(struct ctx *c, int64_t newest)
{
    return kv_fmt(c, "%s %lld", UUID_STR(c->account_id), (long long)newest);
}

err event_redis_append(struct ctx *c, const struct event *rows, size_t n, int64_t *top)
{
    struct kv_arg *args = ARENA_ARRAY(c->arena, struct kv_arg, 3 * n + 4), *a = args;
    struct kv_reply r;

    *a++ = event_redis_store_key(c);
    *a++ = kv_i64(c, c->app->conf->events_stream_length);
    *a++ = announcement(c, rows[n - 1].id);
    *a++ = kv_i64(c, rows[0].id);
    for (size_t i = 0; i < n; i++) {
        *a++ = kv_text(rows[i].kind);
        *a++ = uuid_is_nil(rows[i].space_id) ? kv_text("") : kv_fmt(c, "%s", UUID_STR(rows[i].space_id));
        *a++ = kv_text(rows[i].text);
    }
    TRY(kv_eval_(c, &r, APPEND, 1, args, (size_t)(a - args)));
    *top = r.i;
    return ERR_OK;
}

err event_redis_tell(struct ctx *c, int64_t newest)
{
    return kv_cmd(c, NULL, kv_text("PUBLISH"), kv_text(EVENT_CHANNEL), announcement(c, newest));
}

err event_redis_heard(struct ctx *c, bool *heard)
{
    struct kv_reply r;

    TRY(kv_cmd(c, &r, kv_text("EXISTS"), ear_key(c)));
    *heard = r.i > 0;
    return ERR_OK;
}

err event_redis_listen(struct ctx *c)
{
    return kv_cmd(c, NULL, kv_text("SET"), ear_key(c), kv_text("1"), kv_text("EX"), kv_text(EAR_LIFE));
}

err event_redis_drop(struct ctx *c)
{
    return kv_cmd(c, NULL, kv_text("DEL"), event_redis_store_key(c));
}

static const char *field(const struct kv_reply *pairs, const char *name)
{
    for (size_t i = 0; i + 1 < pairs->n; i += 2)
        if (str_eq(pairs->items[i].s, name))
            return pairs->items[i + 1].s;
    return NULL;
}

/* [id, [name, value, …]] */
static bool read_one(const struct kv_reply *r, struct event *e)
{
    const char *space;

    *e = (struct event){0};
    if (r->type != KV_LIST || r->n != 2 || !r->items[0].s)
        return false;
    e->id = strtoll(r->items[0].s, NULL, 10);
    e->kind = field(&r->items[1], "k");
    e->text = field(&r->items[1], "e");
    space = field(&r->items[1], "s");
    return e->kind && e->text && space && (!*space || uuid_parse(space, &e->space_id));
}

err event_redis_read(struct ctx *c, int64_t after, size_t max, struct event **rows, size_t *n)
{
    struct kv_reply r;

    *n = 0;
    TRY(kv_cmd(c, &r, kv_text("XRANGE"), event_redis_store_key(c), kv_fmt(c, "%lld-1", (long long)after + 1), kv_text("+"), kv_text("COUNT"),
               kv_i64(c, (int64_t)max)));
    *rows = ARENA_ARRAY(c->arena, struct event, r.n + 1);
    for (size_t i = 0; r.type == KV_LIST && i < r.n; i++)
        if (read_one(&r.items[i], &(*rows)[*n]) && (*rows)[*n].id == after + 1 + (int64_t)*n)
            (*n)++;
        else
            return ERR_OK; /* what does not fit is read from the tables */
    return ERR_OK;
}
