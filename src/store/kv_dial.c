/* Connecting to Redis; see kv_dial.h. */
#include "kv_dial.h"

#include <errno.h>
#include <string.h>

#include "clock.h"
#include "config.h"
#include "kv_master.h"
#include "kv_watch.h"

#define DIAL_SURE_US (SECOND_US / 5) /* many threads may dial at once */

bool kv_is_mute(const redisContext *rc)
{
    return rc->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static bool sign_in(redisContext *rc, const char *password)
{
    const char *argv[] = {"AUTH", password};
    size_t lens[] = {4, strlen(password)};
    redisReply *r;
    bool ok;

    if (!*password)
        return true;
    r = redisCommandArgv(rc, 2, argv, lens);
    ok = r && r->type == REDIS_REPLY_STATUS;
    if (r)
        freeReplyObject(r);
    return ok;
}

static redisContext *kv_connect(const struct config *conf)
{
    struct timeval tv = { .tv_sec = conf->redis_timeout_ms / 1000,
                          .tv_usec = conf->redis_timeout_ms % 1000 * 1000 };
    bool local = *conf->redis_socket && !*conf->redis_sentinels;
    char host[MASTER_HOST] = "";
    redisContext *rc;
    int port = 0;

    (void)!kv_master_confirm(conf, DIAL_SURE_US); /* where no Sentinel answers, the last word holds */
    errno = 0;
    if (!local && !kv_master_at(conf, host, &port))
        return NULL;
    rc = local ? redisConnectUnixWithTimeout(conf->redis_socket, tv) : redisConnectWithTimeout(host, port, tv);
    if (rc && !rc->err)
        (void)redisSetTimeout(rc, tv);
    return rc;
}

redisContext *kv_dial(const struct config *conf, struct kv_watch *w, bool *nobody)
{
    int64_t now = clock_monotonic_us();
    redisContext *rc = kv_connect(conf);
    bool refused;

    refused = rc && rc->err == REDIS_ERR_IO && (errno == ECONNREFUSED || errno == ENOENT);
    if (nobody)
        *nobody = refused;
    if (!rc || rc->err) {
        if (rc)
            redisFree(rc);
        return NULL;
    }
    if (sign_in(rc, conf->redis_password) && kv_master_greet(conf, rc))
        return rc;
    if (kv_is_mute(rc))
        kv_watch_leave(w, rc, now);
    else
        redisFree(rc);
    return NULL;
}

const char *kv_why_away(struct arena *a, const struct config *conf)
{
    const char *own = *conf->redis_socket ? conf->redis_socket : arena_printf(a, "%s:%d", conf->redis_host, (int)conf->redis_port);
    const char *at = *conf->redis_sentinels ? "" : own;
    redisContext *rc = kv_connect(conf);
    const char *why = NULL;

    if (!*at)
        at = kv_master_text(a, conf);
    if (!*at)
        return arena_printf(a, "none of the Sentinels %s names a master '%s'", conf->redis_sentinels, conf->redis_master);
    if (!rc || rc->err)
        why = arena_printf(a, "cannot connect to Redis at %s: %s", at, rc ? rc->errstr : "no memory");
    else if (!sign_in(rc, conf->redis_password))
        why = arena_printf(a, "Redis at %s does not accept redis.password, or does not answer", at);
    else if (!kv_master_greet(conf, rc))
        why = arena_printf(a, "Redis at %s is not the master, which the Sentinels say it is", at);
    if (rc)
        redisFree(rc);
    return why;
}
