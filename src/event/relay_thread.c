/* The relay's thread: accounts that have news are served at once, in turn; see relay.h. */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "arena.h"
#include "log.h"
#include "metrics.h"
#include "relay.h"

#define ACCOUNTS 1024      /* that wait; others the job event_relay finds */
#define GATHER_US 40000    /* so long it waits for company: a batch costs as much as one event */
#define AGAIN_US SECOND_US /* after a failure */
#define END_S 2
#define COMPLAIN_US (60 * SECOND_US)

static const struct metric EVENTS = {"loci_events_numbered_total", METRIC_COUNTER, "events this process added to the accounts' streams"};
static const struct metric FAILED = {"loci_event_relay_failures_total", METRIC_COUNTER,
                                     "failed runs of the event relay, which are retried"};

struct waiting {
    struct uuid account_id;
    int64_t not_before_us; /* monotonic */
    struct instant since;  /* when the oldest request began whose events wait */
};

struct relay {
    const struct app *app;
    void (*begin)(struct ctx *c), (*end)(struct ctx *c);
    struct arena *arena; /* of this */
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work;
    bool ends;
    struct waiting line[ACCOUNTS];
    size_t n;
    struct uuid served; /* whose turn it is; nil: nobody's */
    int64_t complained_us;
};

/* With the lock held. */
static void relay_thread_add(struct relay *r, const struct waiting *w)
{
    for (size_t i = 0; i < r->n; i++)
        if (uuid_eq(r->line[i].account_id, w->account_id)) {
            if (w->not_before_us < r->line[i].not_before_us)
                r->line[i].not_before_us = w->not_before_us;
            if (w->since.us < r->line[i].since.us)
                r->line[i].since = w->since;
            return;
        }
    if (r->n < ACCOUNTS)
        r->line[r->n++] = *w;
}

/* The thread is woken for the first that waits; for the others it comes by itself. */
void relay_news(struct ctx *c)
{
    struct relay *r = c->app->relay;
    struct waiting w = {c->account_id, clock_monotonic_us() + GATHER_US, c->now};
    bool is_first;

    if (!r || uuid_is_nil(c->account_id))
        return;
    pthread_mutex_lock(&r->lock);
    is_first = !r->n;
    relay_thread_add(r, &w);
    if (is_first)
        pthread_cond_signal(&r->work);
    pthread_mutex_unlock(&r->lock);
}

size_t relay_holds(struct relay *r, struct uuid account_id)
{
    bool all = uuid_is_nil(account_id);
    size_t n = 0;

    if (!r)
        return 0;
    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < r->n; i++)
        n += all || uuid_eq(r->line[i].account_id, account_id);
    n += !uuid_is_nil(r->served) && (all || uuid_eq(r->served, account_id));
    pthread_mutex_unlock(&r->lock);
    return n;
}

/* With the lock held: the first account whose time has come; else *wait_us until one's has, -1: nobody waits. */
static bool relay_thread_next(struct relay *r, struct waiting *out, int64_t *wait_us)
{
    int64_t now = clock_monotonic_us();

    *wait_us = -1;
    for (size_t i = 0; i < r->n; i++) {
        int64_t left = r->line[i].not_before_us - now;

        if (left <= 0) {
            *out = r->line[i];
            memmove(&r->line[i], &r->line[i + 1], (--r->n - i) * sizeof *r->line);
            return true;
        }
        *wait_us = *wait_us < 0 || left < *wait_us ? left : *wait_us;
    }
    return false;
}

static void await(struct relay *r, int64_t us)
{
    int64_t at = clock_monotonic_us() + us;
    struct timespec until = {.tv_sec = (time_t)(at / SECOND_US), .tv_nsec = (long)(at % SECOND_US) * 1000};

    if (us < 0)
        pthread_cond_wait(&r->work, &r->lock);
    else
        pthread_cond_timedwait(&r->work, &r->lock, &until);
}

static void relay_thread_complain(struct ctx *c, struct relay *r)
{
    metrics_add(r->app->metrics, &FAILED, "", 1);
    if (r->complained_us && clock_monotonic_us() < r->complained_us + COMPLAIN_US)
        return;
    r->complained_us = clock_monotonic_us();
    log_say(r->app->log, LOG_WARN, "events wait: %s", c->fault.message);
}

/* Without the lock. false: nothing is left to do for the account; else *w says when to look again. */
static bool relay_thread_serve(struct ctx *c, struct relay *r, struct waiting *w)
{
    struct relay_done done;
    err e;

    ctx_begin(c, 30);
    c->request_id = "events";
    c->account_id = w->account_id;
    e = relay_turn(c, w->since, &done);
    if (done.numbered)
        metrics_add(r->app->metrics, &EVENTS, "", (double)done.numbered);
    if (done.is_numbered && !done.more)
        w->since = c->now;
    w->not_before_us = e != ERR_OK ? clock_monotonic_us() + AGAIN_US : 0;
    if (e != ERR_OK)
        relay_thread_complain(c, r);
    arena_reset(c->arena);
    return e != ERR_OK || done.more;
}

static void *relay_thread_run(void *arg)
{
    struct relay *r = arg;
    struct ctx c = {.arena = request_arena_new(), .app = r->app};
    struct waiting w;
    int64_t wait_us;
    bool again;

    r->begin(&c);
    pthread_mutex_lock(&r->lock);
    while (!r->ends) {
        if (!relay_thread_next(r, &w, &wait_us)) {
            await(r, wait_us);
            continue;
        }
        r->served = w.account_id;
        pthread_mutex_unlock(&r->lock);
        again = relay_thread_serve(&c, r, &w);
        pthread_mutex_lock(&r->lock);
        r->served = (struct uuid){0};
        if (again)
            relay_thread_add(r, &w);
    }
    pthread_mutex_unlock(&r->lock);
    r->end(&c);
    arena_free(c.arena);
    return NULL;
}

struct relay *relay_new(const struct app *app, void (*begin)(struct ctx *c), void (*end)(struct ctx *c))
{
    struct arena *a = arena_new(1 << 20);
    struct relay *r = ARENA_NEW(a, struct relay);
    pthread_condattr_t steady;
    int failed;

    r->app = app;
    r->begin = begin;
    r->end = end;
    r->arena = a;
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&r->work, &steady);
    pthread_condattr_destroy(&steady);
    failed = pthread_create(&r->thread, NULL, relay_thread_run, r);
    assert(!failed);
    return r;
}

bool relay_free(struct relay *r)
{
    struct timespec until = {clock_monotonic_us() / SECOND_US + END_S, 0};

    if (!r)
        return true;
    pthread_mutex_lock(&r->lock);
    r->ends = true;
    pthread_cond_broadcast(&r->work);
    pthread_mutex_unlock(&r->lock);
    if (pthread_clockjoin_np(r->thread, NULL, CLOCK_MONOTONIC, &until) != 0)
        return false;
    pthread_cond_destroy(&r->work);
    pthread_mutex_destroy(&r->lock);
    arena_free(r->arena);
    return true;
}
