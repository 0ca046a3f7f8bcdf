/* One subscribed connection behind a lock; see kv_feed.h. */
#include "kv_feed.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "config.h"
#include "kv.h"
#include "kv_dial.h"
#include "kv_master.h"
#include "str.h"

/* More at once than this may be more than the socket holds: then the rest still waits at Redis. */
#define MANY_MESSAGES 64
#define MANY_BYTES 16384

#define KEEP_SURE_US (SECOND_US / 2)

struct kv_feed {
    pthread_mutex_t lock;
    const struct config *conf;
    const char *channel;
    redisContext *rc;      /* NULL: not listening */
    uint64_t master;       /* that it is a subscription at */
    int64_t from_us;       /* not trusted before */
    uint64_t subscription; /* counts them */
    int64_t alive_us;      /* when the last PING was sent that Redis has answered */
    int64_t behind_us;     /* not trusted before a PING is answered that was sent then or later */
    int messages;          /* of the present drain */
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
    redisContext *rc = kv_dial(f->conf, NULL, NULL);
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

/* It carries the time, which comes back with the answer. */
static void send_ping(struct kv_feed *f, int64_t now)
{
    char text[24], ping[64];
    int n = snprintf(text, sizeof text, "%lld", (long long)now);

    n = snprintf(ping, sizeof ping, "*2\r\n$4\r\nPING\r\n$%d\r\n%s\r\n", n, text);
    if (send(f->rc->fd, ping, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) != n)
        hang_up(f);
}

static bool is_silent(const struct kv_feed *f)
{
    return clock_monotonic_us() - f->alive_us > KV_FEED_TRUST_US;
}

void kv_feed_keep(struct kv_feed *f)
{
    bool sure = kv_master_confirm(f->conf, KEEP_SURE_US); /* may wait: not under the lock */
    int64_t now = clock_monotonic_us();
    uint64_t master;
    redisContext *rc;

    pthread_mutex_lock(&f->lock);
    if (f->rc && (is_silent(f) || f->master != kv_master_number()))
        hang_up(f);
    if (f->rc && sure) /* else it lapses */
        send_ping(f, now);
    rc = f->rc;
    pthread_mutex_unlock(&f->lock);
    if (rc)
        return;
    master = kv_master_number();
    rc = subscribe(f); /* may wait: not under the lock */
    pthread_mutex_lock(&f->lock);
    f->rc = rc;
    f->master = master;
    f->from_us = *f->conf->redis_sentinels ? clock_monotonic_us() + MASTER_LISTEN_US : 0;
    f->alive_us = f->behind_us = now;
    if (rc)
        f->subscription++;
    pthread_mutex_unlock(&f->lock);
}

static bool kv_feed_is_text(const redisReply *r, const char *text)
{
    return r->type == REDIS_REPLY_STRING && (!text || strcmp(r->str, text) == 0);
}

/* ["message", channel, text], and ["pong", time] */
static void kv_feed_hear(struct kv_feed *f, const redisReply *r, void (*heard)(void *arg, const char *message), void *arg)
{
    int64_t sent_us;

    f->messages++;
    if (r->type != REDIS_REPLY_ARRAY)
        return;
    if (r->elements == 3 && kv_feed_is_text(r->element[0], "message") && kv_feed_is_text(r->element[2], NULL))
        heard(arg, r->element[2]->str);
    if (r->elements == 2 && kv_feed_is_text(r->element[0], "pong") && kv_feed_is_text(r->element[1], NULL) &&
        str_to_i64(r->element[1]->str, &sent_us) && sent_us > f->alive_us)
        f->alive_us = sent_us;
}

/* Everything that is complete in the reader. False: what came is not Redis. */
static bool hear_all(struct kv_feed *f, void (*heard)(void *arg, const char *message), void *arg)
{
    void *reply = NULL;

    while (redisReaderGetReply(f->rc->reader, &reply) == REDIS_OK) {
        if (!reply)
            return true;
        kv_feed_hear(f, reply, heard, arg);
        freeReplyObject(reply);
        reply = NULL;
    }
    return false;
}

/* Returns how many bytes there were. */
static size_t kv_feed_take_all(struct kv_feed *f, void (*heard)(void *arg, const char *message), void *arg)
{
    size_t total = 0;
    char piece[4096];
    ssize_t n;

    f->messages = 0;
    while ((n = recv(f->rc->fd, piece, sizeof piece, MSG_DONTWAIT)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        total += (size_t)n;
        if (redisReaderFeed(f->rc->reader, piece, (size_t)n) != REDIS_OK || !hear_all(f, heard, arg)) {
            hang_up(f);
            return total;
        }
    }
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
        hang_up(f);
    return total;
}

/* Nothing of a message that is not all here yet. */
static bool is_whole(const struct kv_feed *f)
{
    const redisReader *r = f->rc->reader;

    return r->pos == r->len && r->ridx <= 0; /* above that it is inside of an array */
}

/* Under the lock. What waits at Redis comes before the answer to a PING that is sent now. */
static void fall_behind(struct kv_feed *f)
{
    f->behind_us = clock_monotonic_us();
    send_ping(f, f->behind_us);
}

/* Where Redis fails over, others may still publish at the one before. */
static bool is_ripe(const struct kv_feed *f)
{
    return !f->from_us || (f->master == kv_master_number() && clock_monotonic_us() >= f->from_us);
}

uint64_t kv_feed_drain(struct kv_feed *f, void (*heard)(void *arg, const char *message), void *arg)
{
    uint64_t subscription;
    size_t n = 0;

    if (!f)
        return 0;
    pthread_mutex_lock(&f->lock);
    if (f->rc)
        n = kv_feed_take_all(f, heard, arg);
    if (f->rc && is_silent(f))
        hang_up(f);
    if (f->rc && (n >= MANY_BYTES || f->messages >= MANY_MESSAGES))
        fall_behind(f);
    subscription = f->rc && is_whole(f) && f->alive_us >= f->behind_us && is_ripe(f) ? f->subscription : 0;
    pthread_mutex_unlock(&f->lock);
    return subscription;
}

int kv_feed_fd(const struct kv_feed *f)
{
    return f->rc ? f->rc->fd : -1;
}
