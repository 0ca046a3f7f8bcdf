/* Messages that must have reached those who listen, or nobody trusts what he holds; see kv.h and docs/decisions/0008. */
#include <errno.h>
#include <time.h>

#include "app.h"
#include "kv_dial.h"
#include "kv_feed.h"
#include "kv_impl.h"
#include "kv_master.h"

#define DEATH_US 10000 /* a process that is gone takes its connections with it within this */
#define MARGIN_US (SECOND_US / 5)

/* Redis may answer the publisher before it writes to the subscribers, but it has written to all of them before it looks
 * at the next command: hence the PING. */
static enum kv_told tell_on_line(struct kv *kv, const char *channel, const char *text)
{
    redisReply *r;
    bool refused;

    kv->sent_us = clock_monotonic_us();
    r = redisCommand(kv->rc, "PUBLISH %s %s", channel, text);
    if (!r)
        return kv_no_answer(kv);
    refused = r->type == REDIS_REPLY_ERROR;
    freeReplyObject(r);
    if (refused)
        return KV_REFUSED;
    r = redisCommand(kv->rc, "PING");
    if (!r)
        return kv_no_answer(kv);
    freeReplyObject(r);
    return KV_TOLD;
}

static void pause_until(int64_t us)
{
    int64_t left = us - clock_monotonic_us();
    struct timespec t = {.tv_sec = left / SECOND_US, .tv_nsec = left % SECOND_US * 1000};

    while (left > 0 && nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
}

/* Whatever the back-off says: others may have found Redis again already. A kept line may be that of a Redis that is gone,
 * so a closed one is no verdict; the message may be told twice. */
static enum kv_told kv_publish_tell(struct kv *kv, const char *channel, const char *text)
{
    enum kv_told t = KV_CLOSED;

    for (int n = 1; n <= 3 && t == KV_CLOSED; n++) {
        bool nobody = false;

        if (kv_settle(kv) == KV_MUTE)
            return KV_MUTE;
        if (!kv_master_confirm(kv->conf, MASTER_SURE_US)) {
            pause_until(clock_monotonic_us() + DEATH_US);
            return KV_MUTE;
        }
        if (kv->rc && (!kv_is_alive(kv->rc) || kv->master != kv_master_number()))
            kv_hang_up(kv);
        if (!kv->rc)
            kv_take_line(kv, &nobody);
        if (!kv->rc)
            return nobody ? KV_GONE : KV_MUTE;
        pause_until(kv_master_ripe_us(kv->conf));
        t = tell_on_line(kv, channel, text);
    }
    return t;
}

/* Redis is known to serve nobody. Waits until lines have not been trusted for long enough; what they hear first when it comes
 * back is an empty message. false: it is not, or no longer. */
static bool sit_out(struct kv *kv, const char *channel)
{
    int64_t since_us = kv_watch_mute_since(kv->watch);

    if (!since_us || !kv_watch_leave_word(kv->watch, channel))
        return false;
    pause_until(since_us + KV_FEED_TRUST_US + MARGIN_US);
    return kv_watch_mute_since(kv->watch) == since_us;
}

err kv_publish(struct ctx *c, const char *channel, const char *text)
{
    struct fault kept = c->fault;
    struct kv *kv = c->kv;
    int64_t until_us = 0; /* of the first try */
    enum kv_told t = KV_MUTE;
    bool sat_out = false;

    kv->watch = c->app ? c->app->kv_watch : NULL;
    while (t == KV_MUTE && !(sat_out = sit_out(kv, channel)) && (!until_us || clock_monotonic_us() < until_us)) {
        if (!until_us)
            until_us = clock_monotonic_us() + KV_FEED_TRUST_US + MARGIN_US;
        t = kv_publish_tell(kv, channel, text);
    }
    if (t == KV_TOLD)
        return ERR_OK;
    if (t == KV_REFUSED)
        return kv_away(c);
    (void)!kv_away(c); /* for the counter */
    c->fault = kept;
    if (!sat_out)
        pause_until(t == KV_GONE ? clock_monotonic_us() + DEATH_US : until_us);
    return ERR_OK;
}
