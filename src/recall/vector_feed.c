/* A bounded queue and the thread that empties it; see vector_feed.h. */
#include "vector_feed.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "access.h"
#include "app.h"
#include "log.h"
#include "metrics.h"
#include "node_vectors.h"

#define ROOM        65536        /* nodes */
#define AT_ONCE     64
#define LOOK_AHEAD  4096         /* how far it looks for another account's turn */
#define NICENESS    10           /* requests go first; a tenth of a busy processor is left for vectors */
#define GATHER_US   20000        /* so long it waits for company: a batch costs as many questions to MariaDB as one node */
#define PAUSE_S     1            /* after a failure; meanwhile the queue may fill up */
#define END_S       2            /* longest wait for the thread at the end */
#define COMPLAIN_US (60 * SECOND_US)

static const struct metric WAITING = {"loci_vectors_waiting", METRIC_GAUGE, "nodes that wait in this process for their vectors"};
static const struct metric DROPPED = {"loci_vectors_deferred_total", METRIC_COUNTER,
                                      "nodes whose vectors were left to the jobs: the queue was full, or the model failed"};

struct waiting {
    struct uuid account_id, node_id;     /* account nil: taken already */
};

struct vector_feed {
    const struct app *app;
    void (*begin)(struct ctx *c), (*end)(struct ctx *c);
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work;
    bool ends;
    size_t head, n, taken;               /* n places from head on, taken of them empty */
    struct uuid served;                  /* the account of the last batch */
    int64_t complained_at;
    struct waiting ring[ROOM];
};

static struct waiting *place(struct vector_feed *f, size_t i)
{
    return &f->ring[(f->head + i) % ROOM];
}

static void tell_waiting(struct vector_feed *f)
{
    if (f->app->metrics)
        metrics_set(f->app->metrics, &WAITING, "", (double)(f->n - f->taken));
}

void vector_feed_nodes(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct vector_feed *f = c->app->vector_feed;
    size_t i = 0;

    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    for (; i < n && f->n < ROOM; i++)
        *place(f, f->n++) = (struct waiting){c->account_id, ids[i]};
    tell_waiting(f);
    pthread_cond_signal(&f->work);
    pthread_mutex_unlock(&f->lock);
    if (i < n && f->app->metrics)
        metrics_add(f->app->metrics, &DROPPED, "", (double)(n - i));
}

size_t vector_feed_waiting(struct vector_feed *f)
{
    size_t n;

    pthread_mutex_lock(&f->lock);
    n = f->n - f->taken;
    pthread_mutex_unlock(&f->lock);
    return n;
}

/* Another account's turn, if one waits near; else the first. */
static struct uuid whose_turn(struct vector_feed *f)
{
    for (size_t i = 0; i < f->n && i < LOOK_AHEAD; i++) {
        struct uuid account = place(f, i)->account_id;

        if (!uuid_is_nil(account) && !uuid_eq(account, f->served))
            return account;
    }
    return f->served;
}

/* Up to AT_ONCE nodes of one account, in the order they came. */
static size_t take(struct vector_feed *f, struct uuid *account, struct uuid *ids)
{
    size_t k = 0;

    *account = f->served = whose_turn(f);
    for (size_t i = 0; i < f->n && k < AT_ONCE && (k == 0 || i < LOOK_AHEAD); i++) {
        struct waiting *w = place(f, i);

        if (!uuid_eq(w->account_id, *account))
            continue;
        ids[k++] = w->node_id;
        w->account_id = (struct uuid){{0}};
        f->taken++;
    }
    for (; f->n && uuid_is_nil(place(f, 0)->account_id); f->n--, f->taken--)
        f->head = (f->head + 1) % ROOM;
    return k;
}

static bool should_stop(const void *arg)
{
    struct vector_feed *f = (struct vector_feed *)(uintptr_t)arg;
    bool ends;

    pthread_mutex_lock(&f->lock);
    ends = f->ends;
    pthread_mutex_unlock(&f->lock);
    return ends;
}

static err embed(struct ctx *c, struct vector_feed *f, struct uuid account, const struct uuid *ids, size_t n)
{
    struct vectors_done done;

    TRY(access_as_system(c, account, "vectors"));
    return vectors_embed(c, &(struct vectors_work){ids, n, should_stop, f}, &done);
}

/* Said once a minute: the jobs go on where this could not. */
static void complain(struct ctx *c, struct vector_feed *f, size_t n)
{
    if (f->app->metrics)
        metrics_add(f->app->metrics, &DROPPED, "", (double)n);
    if (c->fault.code != ERR_NOT_FOUND && clock_monotonic_us() > f->complained_at + COMPLAIN_US) {
        f->complained_at = clock_monotonic_us();
        log_say(f->app->log, LOG_WARN, "vectors wait for the job embedding_backfill: %s", c->fault.message);
    }
}

/* Waits, with the lock held before and after, until there is a batch worth making. */
static void wait_for_work(struct vector_feed *f)
{
    while (f->n == f->taken && !f->ends)
        pthread_cond_wait(&f->work, &f->lock);
    if (f->ends || f->n - f->taken >= AT_ONCE)
        return;
    pthread_mutex_unlock(&f->lock);
    usleep(GATHER_US);
    pthread_mutex_lock(&f->lock);
}

static void *run(void *arg)
{
    struct vector_feed *f = arg;
    struct ctx c = {.arena = arena_new(REQUEST_ARENA_CAP), .app = f->app};
    struct uuid ids[AT_ONCE], account;

    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
    f->begin(&c);
    pthread_mutex_lock(&f->lock);
    for (;;) {
        size_t n;

        wait_for_work(f);
        if (f->ends)
            break;
        n = take(f, &account, ids);
        tell_waiting(f);
        pthread_mutex_unlock(&f->lock);
        ctx_begin(&c, 0);
        c.request_id = "vectors";
        if (embed(&c, f, account, ids, n) != ERR_OK && !should_stop(f)) {
            complain(&c, f, n);
            sleep(PAUSE_S);
        }
        arena_reset(c.arena);
        pthread_mutex_lock(&f->lock);
    }
    pthread_mutex_unlock(&f->lock);
    f->end(&c);
    arena_free(c.arena);
    return NULL;
}

struct vector_feed *vector_feed_new(const struct app *app, void (*begin)(struct ctx *c), void (*end)(struct ctx *c))
{
    struct vector_feed *f = calloc(1, sizeof *f);
    int r;

    assert(f);
    f->app = app;
    f->begin = begin;
    f->end = end;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->work, NULL);
    r = pthread_create(&f->thread, NULL, run, f);
    assert(r == 0);
    return f;
}

bool vector_feed_free(struct vector_feed *f)
{
    struct timespec until;

    if (!f)
        return true;
    pthread_mutex_lock(&f->lock);
    f->ends = true;
    pthread_cond_broadcast(&f->work);
    pthread_mutex_unlock(&f->lock);
    until = (struct timespec){(clock_now().us / SECOND_US) + END_S, 0};
    if (pthread_timedjoin_np(f->thread, NULL, &until) != 0)
        return false;
    pthread_cond_destroy(&f->work);
    pthread_mutex_destroy(&f->lock);
    free(f);
    return true;
}
