/* Asking Sentinels; see kv_master.h. */
#include "kv_master.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "hosts.h"
#include "kv.h"

#define ASK_MS 500 /* of one Sentinel: there are others */
#define ARENA (256 * 1024)

/* Of the process, which has one list of them. */
static struct {
    pthread_mutex_t lock;
    char host[MASTER_HOST];
    int port;
    size_t good;      /* the Sentinel that answered last */
    int64_t tried_us; /* when they were asked last, with or without an answer */
    _Atomic int64_t confirmed_us, ripe_us;
    _Atomic uint64_t number;
} master = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t kv_master_number(void)
{
    return atomic_load(&master.number);
}

/* ---- one Sentinel */

static redisContext *sentinel_dial(const struct config *conf, const struct host_name *at)
{
    int64_t ms = conf->redis_timeout_ms < ASK_MS ? conf->redis_timeout_ms : ASK_MS;
    struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    redisContext *rc = *at->socket ? redisConnectUnixWithTimeout(at->socket, tv) : redisConnectWithTimeout(at->host, at->port, tv);

    if (rc && !rc->err && redisSetTimeout(rc, tv) == REDIS_OK)
        return rc;
    if (rc)
        redisFree(rc);
    return NULL;
}

static bool sentinel_read(const redisReply *r, char host[MASTER_HOST], int *port)
{
    int64_t n;

    if (!r || r->type != REDIS_REPLY_ARRAY || r->elements != 2 || !r->element[0]->str || !r->element[1]->str)
        return false;
    if (r->element[0]->len >= MASTER_HOST || !str_to_i64(r->element[1]->str, &n) || n < 1 || n > 65535)
        return false;
    memcpy(host, r->element[0]->str, r->element[0]->len + 1);
    *port = (int)n;
    return true;
}

static bool sentinel_ask(const struct config *conf, const struct host_name *at, char host[MASTER_HOST], int *port)
{
    redisContext *rc = sentinel_dial(conf, at);
    redisReply *r = rc ? redisCommand(rc, "SENTINEL get-master-addr-by-name %s", conf->redis_master) : NULL;
    bool ok = sentinel_read(r, host, port);

    if (r)
        freeReplyObject(r);
    if (rc)
        redisFree(rc);
    return ok;
}

/* ---- all of them, under the lock */

static void master_is(const char *host, int port, int64_t asked_us)
{
    if (strcmp(host, master.host) != 0 || port != master.port) {
        snprintf(master.host, sizeof master.host, "%s", host);
        master.port = port;
        atomic_store(&master.ripe_us, asked_us + MASTER_RIPE_US); /* unless it says that it has been so for longer */
        atomic_fetch_add(&master.number, 1);
    }
    atomic_store(&master.confirmed_us, asked_us);
}

/* Beginning with the one that answered last. */
static bool master_ask_all(const struct config *conf, const struct host_name *all, size_t n)
{
    char host[MASTER_HOST];
    int port;

    for (size_t i = 0; i < n; i++) {
        size_t at = (master.good + i) % n;
        int64_t asked_us = clock_monotonic_us();

        if (!sentinel_ask(conf, &all[at], host, &port))
            continue;
        master.good = at;
        master_is(host, port, asked_us);
        return true;
    }
    return false;
}

static bool master_is_sure(int64_t max_age_us)
{
    int64_t at_us = atomic_load(&master.confirmed_us);

    return at_us && clock_monotonic_us() - at_us <= max_age_us;
}

bool kv_master_confirm(const struct config *conf, int64_t max_age_us)
{
    struct host_name all[HOSTS_MAX];
    struct arena *a;
    const char *why;
    size_t n;
    bool sure;

    if (!*conf->redis_sentinels || master_is_sure(max_age_us))
        return true;
    a = arena_new(ARENA);
    pthread_mutex_lock(&master.lock);
    sure = master_is_sure(max_age_us);                                  /* another thread may have asked meanwhile, … */
    if (!sure && clock_monotonic_us() - master.tried_us > max_age_us) { /* … in vain */
        master.tried_us = clock_monotonic_us();
        sure = hosts_parse(a, conf->redis_sentinels, SENTINEL_PORT, all, &n, &why) && n > 0 && master_ask_all(conf, all, n);
    }
    pthread_mutex_unlock(&master.lock);
    arena_free(a);
    return sure;
}

bool kv_master_at(const struct config *conf, char host[MASTER_HOST], int *port)
{
    if (!*conf->redis_sentinels) {
        snprintf(host, MASTER_HOST, "%s", conf->redis_host);
        *port = (int)conf->redis_port;
        return true;
    }
    pthread_mutex_lock(&master.lock);
    memcpy(host, master.host, MASTER_HOST);
    *port = master.port;
    pthread_mutex_unlock(&master.lock);
    return *host;
}

const char *kv_master_text(struct arena *a, const struct config *conf)
{
    char host[MASTER_HOST];
    int port;

    return *conf->redis_sentinels && kv_master_at(conf, host, &port) ? arena_printf(a, "%s:%d", host, port) : "";
}

/* ---- the master itself */

static bool master_has_role(redisContext *rc)
{
    redisReply *r = redisCommand(rc, "ROLE");
    bool ok = r && r->type == REDIS_REPLY_ARRAY && r->elements > 0 && str_eq(r->element[0]->str, "master");

    if (r)
        freeReplyObject(r);
    return ok;
}

/* How long it has been the master, in microseconds: what others left there, as replicas are told of it, names the one before. */
static const char AGE[] = "local t = redis.call('TIME')\n"
                          "local now = t[1] * 1000000 + t[2]\n"
                          "local was = redis.call('HMGET', KEYS[1], 'at', 'since')\n"
                          "if was[1] == ARGV[1] and was[2] then return now - tonumber(was[2]) end\n"
                          "redis.call('HSET', KEYS[1], 'at', ARGV[1], 'since', string.format('%.0f', now))\n"
                          "return 0\n";

bool kv_master_greet(const struct config *conf, redisContext *rc)
{
    int64_t now_us = clock_monotonic_us(), ripe_us;
    char host[MASTER_HOST], at[MASTER_HOST + 16];
    redisReply *r;
    int port;

    if (!*conf->redis_sentinels)
        return true;
    if (!kv_master_at(conf, host, &port) || !master_has_role(rc))
        return false;
    snprintf(at, sizeof at, "%s:%d", host, port);
    r = redisCommand(rc, "EVAL %s 1 loci:{master} %s", AGE, at);
    if (r && r->type == REDIS_REPLY_INTEGER) {
        ripe_us = now_us + MASTER_RIPE_US - r->integer;
        if (ripe_us < atomic_load(&master.ripe_us))
            atomic_store(&master.ripe_us, ripe_us);
    }
    if (r)
        freeReplyObject(r);
    return !rc->err;
}

int64_t kv_master_ripe_us(const struct config *conf)
{
    return *conf->redis_sentinels ? atomic_load(&master.ripe_us) : 0;
}
