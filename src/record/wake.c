/* Waking schedulers over Redis; see wake.h. */
#include "wake.h"

#include "app.h"
#include "config.h"
#include "db.h"
#include "kv.h"

#define WAKE_KEY "loci:wake"
#define WAIT_MS 400

/* At most as many hints as there may be schedulers; forgotten when nobody takes them. */
static const char PUSH[] = "redis.call('LPUSH', KEYS[1], '1') redis.call('LTRIM', KEYS[1], 0, 15) "
                           "redis.call('EXPIRE', KEYS[1], 10) return 1";

void wake_now(struct ctx *c)
{
    struct fault before = c->fault;

    if (!c->kv)
        return;
    if (kv_eval(c, NULL, PUSH, 1, kv_text(WAKE_KEY)) != ERR_OK)
        c->fault = before;
}

static void wake_push(struct ctx *c, void *arg)
{
    (void)arg;
    wake_now(c);
}

void wake_after_tx(struct ctx *c)
{
    if (!c->kv)
        return;
    if (!db_in_tx(c)) {
        wake_now(c);
        return;
    }
    for (const struct tx_after *t = c->tx_after; t; t = t->next)
        if (t->run == wake_push) /* once is enough */
            return;
    ctx_after_tx(c, wake_push, NULL);
}

err wake_wait(struct ctx *c, bool *woken)
{
    int64_t ms = c->app->conf->redis_timeout_ms / 2;
    struct kv_reply reply;

    if (ms > WAIT_MS)
        ms = WAIT_MS;
    TRY(kv_cmd(c, &reply, kv_text("BRPOP"), kv_text(WAKE_KEY), kv_fmt(c, "0.%03lld", (long long)ms)));
    *woken = reply.type == KV_LIST;
    return ERR_OK;
}
