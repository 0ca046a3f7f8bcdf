/* Connecting to Redis; see kv_dial.h. */
#include "kv_dial.h"

#include <errno.h>
#include <string.h>

#include "clock.h"
#include "config.h"
#include "kv_watch.h"

bool kv_is_mute(const redisContext *rc)
{
    return rc->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static bool sign_in(redisContext *rc, const char *password)
{
    const char *argv[] = { "AUTH", password };
    size_t lens[] = { 4, strlen(password) };
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

redisContext *kv_dial(const struct config *conf, struct kv_watch *w, bool *nobody)
{
    struct timeval tv = { .tv_sec = conf->redis_timeout_ms / 1000,
                          .tv_usec = conf->redis_timeout_ms % 1000 * 1000 };
    int64_t now = clock_monotonic_us();
    redisContext *rc;
    bool refused;

    errno = 0;
    rc = *conf->redis_socket ? redisConnectUnixWithTimeout(conf->redis_socket, tv)
                             : redisConnectWithTimeout(conf->redis_host, (int)conf->redis_port, tv);
    refused = rc && rc->err == REDIS_ERR_IO && (errno == ECONNREFUSED || errno == ENOENT);
    if (nobody)
        *nobody = refused;
    if (!rc || rc->err || redisSetTimeout(rc, tv) != REDIS_OK) {
        if (rc)
            redisFree(rc);
        return NULL;
    }
    if (sign_in(rc, conf->redis_password))
        return rc;
    if (kv_is_mute(rc))
        kv_watch_leave(w, rc, now);
    else
        redisFree(rc);
    return NULL;
}
