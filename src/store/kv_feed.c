/* One subscribed connection behind a lock; see kv_feed.h. */
#include "kv_feed.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "kv_dial.h"

#define SILENCE_MAX_US (3 * SECOND_US)      /* a line that does not answer a PING for so long is dead */

struct kv_feed {
    pthread_mutex_t lock;
    const struct config *conf;
    const char *channel;
    redisContext *rc;            /* NULL: not listening */
    uint64_t subscription;       /* counts them */
    int64_t heard_us;
};

struct kv_feed *kv_feed_new(const struct config *conf, const char *channel)
{
    struct kv_feed *f = calloc(1, sizeof *f);

    assert(f);
    f->conf = conf;
    f->channel = channel;
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

static void hang_up(struct kv_feed *f)
{
    if (f->rc)
        redisFree(f->rc);
    f->rc = NULL;
}

void kv_feed_free(struct kv_feed *f)
{
    if (!f)
        return;
    hang_up(f);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* Subscribed once Redis has said so. */
static redisContext *subscribe(struct kv_feed *f)
{
    redisContext *rc = kv_dial(f->conf);
    redisReply *r = rc ? redisCommand(rc, "SUBSCRIBE %s", f->channel) : NULL;

    if (r && r->type == REDIS_REPLY_ARRAY) {
        freeReplyObject(r);
        return rc;
    }
    if (r)
        freeReplyObject(r);
    if (rc)
        redisFree(rc);
    return NULL;
}

static void send_ping(struct kv_feed *f)
{
    static const char PING[] = "*1\r\n$4\r\nPING\r\n";

    if (send(f->rc->fd, PING, sizeof PING - 1, MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof PING - 1)
        hang_up(f);
}

static bool is_silent(const struct kv_feed *f)
{
    return clock_monotonic_us() - f->heard_us > SILENCE_MAX_US;
}

void kv_feed_keep(struct kv_feed *f)
{
    redisContext *rc;

    pthread_mutex_lock(&f->lock);
    if (f->rc && is_silent(f))
        hang_up(f);
    if (f->rc)
        send_ping(f);
    rc = f->rc;
    pthread_mutex_unlock(&f->lock);
    if (rc)
        return;
    rc = subscribe(f);               /* may wait: not under the lock */
    pthread_mutex_lock(&f->lock);
    f->rc = rc;
    f->heard_us = clock_monotonic_us();
    if (rc)
        f->subscription++;
    pthread_mutex_unlock(&f->lock);
}

/* ["message", channel, text]; the others are answers to PING. */
static void hear(const redisReply *r, void (*heard)(void *arg, const char *message), void *arg)
{
    if (r->type == REDIS_REPLY_ARRAY && r->elements == 3 && r->element[2]->type == REDIS_REPLY_STRING &&
        strcmp(r->element[0]->str, "message") == 0)
        heard(arg, r->element[2]->str);
}

/* Everything that is complete in the reader. False: what came is not Redis. */
static bool hear_all(struct kv_feed *f, void (*heard)(void *arg, const char *message), void *arg)
{
    void *reply = NULL;

    while (redisReaderGetReply(f->rc->reader, &reply) == REDIS_OK) {
        if (!reply)
            return true;
        hear(reply, heard, arg);
        freeReplyObject(reply);
        reply = NULL;
    }
    return false;
}

static void take_all(struct kv_feed *f, void (*heard)(void *arg, const char *message), void *arg)
{
    char piece[4096];
    ssize_t n;

    while ((n = recv(f->rc->fd, piece, sizeof piece, MSG_DONTWAIT)) > 0) {
        f->heard_us = clock_monotonic_us();
        if (redisReaderFeed(f->rc->reader, piece, (size_t)n) != REDIS_OK || !hear_all(f, heard, arg)) {
            hang_up(f);
            return;
        }
    }
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        hang_up(f);
}

uint64_t kv_feed_drain(struct kv_feed *f, void (*heard)(void *arg, const char *message), void *arg)
{
    uint64_t subscription;

    if (!f)
        return 0;
    pthread_mutex_lock(&f->lock);
    if (f->rc)
        take_all(f, heard, arg);
    if (f->rc && is_silent(f))
        hang_up(f);
    subscription = f->rc ? f->subscription : 0;
    pthread_mutex_unlock(&f->lock);
    return subscription;
}
