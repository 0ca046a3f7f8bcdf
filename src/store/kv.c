/* Redis over hiredis; see kv.h for the contract. */
#include "kv.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "kv_dial.h"
#include "kv_impl.h"
#include "kv_master.h"
#include "metrics.h"

#define RECONNECT_US SECOND_US

/* When any thread of this process last got through: who was refused before that tries again at once. */
static _Atomic int64_t reached_us;

struct kv *kv_open(const struct config *conf)
{
    struct kv *kv = calloc(1, sizeof *kv);

    assert(kv);
    kv->conf = conf;
    return kv;
}

void kv_hang_up(struct kv *kv)
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
    kv_hang_up(kv);
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

err kv_away(struct ctx *c)
{
    bool first = c->fault.code == ERR_OK;
    err e = fail(c, ERR_UNAVAILABLE, "Redis is unavailable; try again in a moment");

    count_away(c);
    if (first)
        c->fault.retry_after_s = 2;
    return e;
}

bool kv_is_alive(const redisContext *rc)
{
    struct pollfd p = {.fd = rc->fd, .events = POLLIN | POLLRDHUP};

    return poll(&p, 1, 0) == 0;
}

enum kv_told kv_no_answer(struct kv *kv)
{
    bool closed = kv->rc->err == REDIS_ERR_EOF || (kv->rc->err == REDIS_ERR_IO && (errno == EPIPE || errno == ECONNRESET));

    if (kv_is_mute(kv->rc)) {
        kv_watch_leave(kv->watch, kv->rc, kv->sent_us);
        kv->rc = NULL;
    }
    kv_hang_up(kv);
    return closed ? KV_CLOSED : KV_MUTE;
}

/* Redis is there but cannot serve now: it loads, or it is no longer the one that takes writes. */
static bool is_passing(const char *error)
{
    static const char *const WORDS[] = {"LOADING", "MASTERDOWN", "READONLY", "BUSY ", "TRYAGAIN",
                                        "CLUSTERDOWN", "NOREPLICAS", "OOM", "MISCONF", "NOAUTH"};

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (str_starts(error, WORDS[i]))
            return true;
    return false;
}

enum kv_told kv_settle(struct kv *kv)
{
    void *reply = NULL;
    const redisReply *r;

    if (!kv->rc || !kv->owed)
        return KV_TOLD;
    if (redisGetReply(kv->rc, &reply) != REDIS_OK)
        return kv_no_answer(kv);
    kv->owed = false;
    r = reply;
    if (r->type == REDIS_REPLY_ERROR && is_passing(r->str))
        kv_hang_up(kv); /* the next attempt may find another server */
    freeReplyObject(reply);
    return KV_TOLD;
}

void kv_take_line(struct kv *kv, bool *nobody)
{
    (void)!kv_master_confirm(kv->conf, MASTER_SURE_US);
    kv->master = kv_master_number(); /* if another is named meanwhile, it is dialled once more */
    kv->rc = kv_dial(kv->conf, kv->watch, nobody);
}

static err kv_ready(struct ctx *c)
{
    struct kv *kv = c->kv;
    enum kv_told last;

    TRY(ctx_check_deadline(c));
    kv->watch = c->app ? c->app->kv_watch : NULL;
    if (kv_watch_mute_since(kv->watch)) {
        (void)!kv_master_confirm(kv->conf, MASTER_SURE_US); /* another may be the master now */
        return kv_away(c);
    }
    last = kv_settle(kv);
    if (last == KV_MUTE)
        return kv_away(c);
    if (last == KV_CLOSED)
        count_away(c);
    if (kv->rc && (!kv_is_alive(kv->rc) || kv->master != kv_master_number()))
        kv_hang_up(kv);
    if (kv->rc)
        return ERR_OK;
    if (clock_monotonic_us() < kv->refused_us + RECONNECT_US && atomic_load(&reached_us) <= kv->refused_us)
        return kv_away(c);
    kv_take_line(kv, NULL);
    if (!kv->rc) {
        kv->refused_us = clock_monotonic_us();
        return kv_away(c);
    }
    atomic_store(&reached_us, clock_monotonic_us());
    return ERR_OK;
}

/* ---- replies */

static void copy_reply(struct arena *a, const redisReply *r, struct kv_reply *out)
{
    *out = (struct kv_reply){.type = KV_NIL};
    switch (r->type) {
    case REDIS_REPLY_INTEGER:
        out->type = KV_INT;
        out->i = r->integer;
        break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
        out->type = KV_TEXT;
        if (!arena_takes(a, r->len))
            break;
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
        kv_hang_up(c->kv); /* the next attempt may find another server */
        return kv_away(c);
    }
    if (error)
        return fail(c, ERR_INTERNAL, "Redis refused a command: %.200s", error->str);
    if (out)
        copy_reply(c->arena, r, out);
    return out ? ctx_check_size(c) : ERR_OK;
}

/* Puts a command behind the connection's last one; it is not sent yet. */
static err kv_append(struct ctx *c, const struct kv_arg *args, size_t n)
{
    const char **argv = ARENA_ARRAY(c->arena, const char *, n);
    size_t *lens = ARENA_ARRAY(c->arena, size_t, n);

    assert(n > 0 && n <= INT32_MAX);
    if (arena_refused(c->arena))
        return ctx_check_size(c);
    TRY(kv_ready(c));
    c->kv->sent_us = clock_monotonic_us();
    for (size_t i = 0; i < n; i++) {
        argv[i] = args[i].n ? args[i].p : "";
        lens[i] = args[i].n;
    }
    if (redisAppendCommandArgv(c->kv->rc, (int)n, argv, lens) == REDIS_OK)
        return ERR_OK;
    kv_hang_up(c->kv);
    return kv_away(c);
}

/* *r is NULL after a failure; else the caller frees it. */
static err send_argv(struct ctx *c, const struct kv_arg *args, size_t n, redisReply **r)
{
    void *reply = NULL;

    *r = NULL;
    TRY(kv_append(c, args, n));
    if (redisGetReply(c->kv->rc, &reply) == REDIS_OK) {
        *r = reply;
        return ERR_OK;
    }
    (void)!kv_no_answer(c->kv);
    return kv_away(c);
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
    TRY(kv_append(c, argv, n + 3));
    while (!sent)
        if (redisBufferWrite(c->kv->rc, &sent) != REDIS_OK) {
            kv_hang_up(c->kv);
            return kv_away(c);
        }
    c->kv->owed = true;
    return ERR_OK;
}
