/* Redis over hiredis; see kv.h for the contract. */
#include "kv.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "kv_dial.h"
#include "kv_feed.h"
#include "kv_watch.h"
#include "metrics.h"

#define SCRIPTS_MAX  64
#define SHA_TEXT     41
#define RECONNECT_US SECOND_US
#define DEATH_US     10000                      /* a process that is gone takes its connections with it within this */
#define MARGIN_US    (SECOND_US / 5)

/* Digests are of the text alone, so they outlive a connection. */
struct script {
    const char *text; /* a literal, known by its address */
    char sha[SHA_TEXT];
};

struct kv {
    const struct config *conf;
    redisContext *rc; /* NULL: not connected */
    bool owed;        /* an answer that nobody waited for is still to come */
    int64_t sent_us;  /* when the last command was sent */
    struct kv_watch *watch;
    int64_t down_until_us;
    struct script scripts[SCRIPTS_MAX];
    size_t n_scripts;
};

struct kv *kv_open(const struct config *conf)
{
    struct kv *kv = calloc(1, sizeof *kv);

    assert(kv);
    kv->conf = conf;
    return kv;
}

static void hang_up(struct kv *kv)
{
    if (kv->rc)
        redisFree(kv->rc);
    kv->rc = NULL;
    kv->owed = false;
}

void kv_close(struct kv *kv)
{
    if (!kv)
        return;
    hang_up(kv);
    free(kv);
}

/* ---- the connection */

static void count_away(struct ctx *c)
{
    static const struct metric AWAY = { "loci_kv_away_total", METRIC_COUNTER,
                                        "commands that Redis did not answer" };

    if (c->app && c->app->metrics)
        metrics_add(c->app->metrics, &AWAY, "", 1);
}

static err away(struct ctx *c)
{
    bool first = c->fault.code == ERR_OK;
    err e = fail(c, ERR_UNAVAILABLE, "the session store is away; try again in a moment");

    count_away(c);
    if (first)
        c->fault.retry_after_s = 2;
    return e;
}

/* Between two commands Redis has nothing to say: a readable socket is a goodbye. */
static bool is_alive(const redisContext *rc)
{
    struct pollfd p = { .fd = rc->fd, .events = POLLIN | POLLRDHUP };

    return poll(&p, 1, 0) == 0;
}

enum told { TOLD, REFUSED, CLOSED, GONE, MUTE };

static enum told no_answer(struct kv *kv)
{
    bool closed = kv->rc->err == REDIS_ERR_EOF || (kv->rc->err == REDIS_ERR_IO && (errno == EPIPE || errno == ECONNRESET));

    if (kv_is_mute(kv->rc)) {
        kv_watch_leave(kv->watch, kv->rc, kv->sent_us);
        kv->rc = NULL;
    }
    hang_up(kv);
    return closed ? CLOSED : MUTE;
}

/* Redis is there but cannot serve now: it loads, or it is no longer the one that takes writes. */
static bool is_passing(const char *error)
{
    static const char *const WORDS[] = { "LOADING",     "MASTERDOWN", "READONLY", "BUSY ",   "TRYAGAIN",
                                         "CLUSTERDOWN", "NOREPLICAS", "OOM",      "MISCONF", "NOAUTH" };

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (str_starts(error, WORDS[i]))
            return true;
    return false;
}

/* Reads the answer that is owed, so that it is not taken for the next one's. What it says is too late for anybody. */
static enum told settle(struct kv *kv)
{
    void *reply = NULL;
    const redisReply *r;

    if (!kv->rc || !kv->owed)
        return TOLD;
    if (redisGetReply(kv->rc, &reply) != REDIS_OK)
        return no_answer(kv);
    kv->owed = false;
    r = reply;
    if (r->type == REDIS_REPLY_ERROR && is_passing(r->str))
        hang_up(kv); /* the next attempt may find another server */
    freeReplyObject(reply);
    return TOLD;
}

static err ready(struct ctx *c)
{
    struct kv *kv = c->kv;
    enum told last;

    TRY(ctx_check_deadline(c));
    kv->watch = c->app ? c->app->kv_watch : NULL;
    if (kv_watch_mute_since(kv->watch))
        return away(c);
    last = settle(kv);
    if (last == MUTE)
        return away(c);
    if (last == CLOSED)
        count_away(c);
    if (kv->rc && !is_alive(kv->rc))
        hang_up(kv);
    if (kv->rc)
        return ERR_OK;
    if (clock_monotonic_us() < kv->down_until_us)
        return away(c);
    kv->rc = kv_dial(kv->conf, kv->watch, NULL);
    if (kv->rc)
        return ERR_OK;
    kv->down_until_us = clock_monotonic_us() + RECONNECT_US;
    return away(c);
}

/* ---- replies */

static void copy_reply(struct arena *a, const redisReply *r, struct kv_reply *out)
{
    *out = (struct kv_reply){ .type = KV_NIL };
    switch (r->type) {
    case REDIS_REPLY_INTEGER:
        out->type = KV_INT;
        out->i = r->integer;
        break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
        out->type = KV_TEXT;
        out->s = arena_strndup(a, r->str, r->len);
        out->len = r->len;
        break;
    case REDIS_REPLY_ARRAY:
        out->type = KV_LIST;
        out->n = r->elements;
        out->items = ARENA_ARRAY(a, struct kv_reply, r->elements);
        for (size_t i = 0; i < r->elements; i++)
            copy_reply(a, r->element[i], &out->items[i]);
        break;
    default: break;
    }
}

/* The error in a reply, also inside the list that EXEC answers; NULL: none. */
static const redisReply *error_in(const redisReply *r)
{
    if (r->type == REDIS_REPLY_ERROR)
        return r;
    for (size_t i = 0; r->type == REDIS_REPLY_ARRAY && i < r->elements; i++)
        if (error_in(r->element[i]))
            return error_in(r->element[i]);
    return NULL;
}

static err take_reply(struct ctx *c, const redisReply *r, struct kv_reply *out)
{
    const redisReply *error = error_in(r);

    if (error && is_passing(error->str)) {
        hang_up(c->kv); /* the next attempt may find another server */
        return away(c);
    }
    if (error)
        return fail(c, ERR_INTERNAL, "Redis refused a command: %.200s", error->str);
    if (out)
        copy_reply(c->arena, r, out);
    return ERR_OK;
}

/* Puts a command behind the connection's last one; it is not sent yet. */
static err append(struct ctx *c, const struct kv_arg *args, size_t n)
{
    const char **argv = ARENA_ARRAY(c->arena, const char *, n);
    size_t *lens = ARENA_ARRAY(c->arena, size_t, n);

    assert(n > 0 && n <= INT32_MAX);
    TRY(ready(c));
    c->kv->sent_us = clock_monotonic_us();
    for (size_t i = 0; i < n; i++) {
        argv[i] = args[i].n ? args[i].p : "";
        lens[i] = args[i].n;
    }
    if (redisAppendCommandArgv(c->kv->rc, (int)n, argv, lens) == REDIS_OK)
        return ERR_OK;
    hang_up(c->kv);
    return away(c);
}

/* *r is NULL after a failure; else the caller frees it. */
static err send_argv(struct ctx *c, const struct kv_arg *args, size_t n, redisReply **r)
{
    void *reply = NULL;

    *r = NULL;
    TRY(append(c, args, n));
    if (redisGetReply(c->kv->rc, &reply) == REDIS_OK) {
        *r = reply;
        return ERR_OK;
    }
    (void)!no_answer(c->kv);
    return away(c);
}

err kv_cmd_(struct ctx *c, struct kv_reply *reply, const struct kv_arg *args, size_t n)
{
    redisReply *r;
    err e;

    TRY(send_argv(c, args, n, &r));
    e = take_reply(c, r, reply);
    freeReplyObject(r);
    return e;
}

err kv_ping(struct ctx *c)
{
    return kv_cmd(c, NULL, kv_text("PING"));
}

/* ---- scripts */

static err sha_of(struct ctx *c, const char *script, const char **sha)
{
    struct kv *kv = c->kv;
    struct kv_reply r;
    struct script *s;

    for (size_t i = 0; i < kv->n_scripts; i++)
        if (kv->scripts[i].text == script) {
            *sha = kv->scripts[i].sha;
            return ERR_OK;
        }
    TRY(kv_cmd(c, &r, kv_text("SCRIPT"), kv_text("LOAD"), kv_text(script)));
    assert(r.type == KV_TEXT && r.len == SHA_TEXT - 1 && kv->n_scripts < SCRIPTS_MAX);
    s = &kv->scripts[kv->n_scripts++];
    s->text = script;
    memcpy(s->sha, r.s, SHA_TEXT);
    *sha = s->sha;
    return ERR_OK;
}

err kv_eval_(struct ctx *c, struct kv_reply *reply, const char *script, int n_keys, const struct kv_arg *args,
             size_t n)
{
    struct kv_arg *argv = ARENA_ARRAY(c->arena, struct kv_arg, n + 3);
    const char *sha;
    redisReply *r;
    err e;

    TRY(sha_of(c, script, &sha));
    argv[0] = kv_text("EVALSHA");
    argv[1] = kv_text(sha);
    argv[2] = kv_i64(c, n_keys);
    if (n)
        memcpy(argv + 3, args, n * sizeof *args);
    TRY(send_argv(c, argv, n + 3, &r));
    if (r->type == REDIS_REPLY_ERROR && str_starts(r->str, "NOSCRIPT")) {
        freeReplyObject(r);
        argv[0] = kv_text("EVAL");
        argv[1] = kv_text(script);
        TRY(send_argv(c, argv, n + 3, &r));
    }
    e = take_reply(c, r, reply);
    freeReplyObject(r);
    return e;
}

/* With its text: of a digest that Redis does not know nobody would hear in time. */
err kv_eval_later_(struct ctx *c, const char *script, int n_keys, const struct kv_arg *args, size_t n)
{
    struct kv_arg *argv = ARENA_ARRAY(c->arena, struct kv_arg, n + 3);
    int sent = 0;

    argv[0] = kv_text("EVAL");
    argv[1] = kv_text(script);
    argv[2] = kv_i64(c, n_keys);
    if (n)
        memcpy(argv + 3, args, n * sizeof *args);
    TRY(append(c, argv, n + 3));
    while (!sent)
        if (redisBufferWrite(c->kv->rc, &sent) != REDIS_OK) {
            hang_up(c->kv);
            return away(c);
        }
    c->kv->owed = true;
    return ERR_OK;
}

/* ---- messages */

/* Redis may answer the publisher before it writes to the subscribers, but it has written to all of them before it looks
 * at the next command: hence the PING. */
static enum told tell_on_line(struct kv *kv, const char *channel, const char *text)
{
    redisReply *r;
    bool refused;

    kv->sent_us = clock_monotonic_us();
    r = redisCommand(kv->rc, "PUBLISH %s %s", channel, text);
    if (!r)
        return no_answer(kv);
    refused = r->type == REDIS_REPLY_ERROR;
    freeReplyObject(r);
    if (refused)
        return REFUSED;
    r = redisCommand(kv->rc, "PING");
    if (!r)
        return no_answer(kv);
    freeReplyObject(r);
    return TOLD;
}

/* Whatever the back-off says: others may have found Redis again already. A kept line may be that of a Redis that is gone,
 * so a closed one is no verdict; the message may be told twice. */
static enum told tell(struct kv *kv, const char *channel, const char *text)
{
    enum told t = CLOSED;

    for (int n = 1; n <= 3 && t == CLOSED; n++) {
        bool nobody = false;

        if (settle(kv) == MUTE)
            return MUTE;
        if (kv->rc && !is_alive(kv->rc))
            hang_up(kv);
        if (!kv->rc)
            kv->rc = kv_dial(kv->conf, kv->watch, &nobody);
        if (!kv->rc)
            return nobody ? GONE : MUTE;
        t = tell_on_line(kv, channel, text);
    }
    return t;
}

static void pause_until(int64_t us)
{
    int64_t left = us - clock_monotonic_us();
    struct timespec t = { .tv_sec = left / SECOND_US, .tv_nsec = left % SECOND_US * 1000 };

    while (left > 0 && nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
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
    int64_t until_us = 0;            /* of the first try */
    enum told t = MUTE;
    bool sat_out = false;

    kv->watch = c->app ? c->app->kv_watch : NULL;
    while (t == MUTE && !(sat_out = sit_out(kv, channel)) && (!until_us || clock_monotonic_us() < until_us)) {
        if (!until_us)
            until_us = clock_monotonic_us() + KV_FEED_TRUST_US + MARGIN_US;
        t = tell(kv, channel, text);
    }
    if (t == TOLD)
        return ERR_OK;
    if (t == REFUSED)
        return away(c);
    (void)!away(c); /* for the counter */
    c->fault = kept;
    if (!sat_out)
        pause_until(t == GONE ? clock_monotonic_us() + DEATH_US : until_us);
    return ERR_OK;
}
