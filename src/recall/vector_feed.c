/* The lines of nodes that wait, and the thread that serves them; see vector_feed.h. */
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
#include "vector_lines.h"

#define AT_ONCE     64
#define NICENESS    10           /* requests go first; a tenth of a busy processor is left for vectors */
#define GATHER_US   20000        /* so long it waits for company: a batch costs as many questions to MariaDB as one node … */
#define IDLE_US     100000       /* … and so long where it just heard that there is no model and nobody else waits */
#define TURN_US     300000       /* so long an account is served at a time; a batch is always made to its end */
#define PAUSE_S     1            /* after a failure; meanwhile the queue may fill up */
#define END_S       2            /* longest wait for the thread at the end */
#define COMPLAIN_US (60 * SECOND_US)

static const struct metric WAITING = {"loci_vectors_waiting", METRIC_GAUGE, "nodes that wait in this process for their vectors"};
static const struct metric DROPPED = {"loci_vectors_deferred_total", METRIC_COUNTER,
                                      "nodes whose vectors were left to the jobs: the queue was full, or the model failed"};

struct vector_feed {
    const struct app *app;
    void (*begin)(struct ctx *c), (*end)(struct ctx *c);
    pthread_t thread;
    pthread_mutex_t lock;                /* of all that follows */
    pthread_cond_t work;
    bool ends;
    struct vector_lines *lines;
    size_t at_work;                      /* nodes of the first line */
    int64_t turn_ends;                   /* monotonic; 0: nobody has asked yet */
    bool interrupted;                    /* the turn was over before its nodes were */
    bool is_idle;                        /* the last account had no model, and nobody else waited */
    int64_t complained_at;
};

static size_t waiting(const struct vector_feed *f)
{
    return vector_lines_waiting(f->lines) - f->at_work;
}

static void tell_waiting(struct vector_feed *f)
{
    if (f->app->metrics)
        metrics_set(f->app->metrics, &WAITING, "", (double)waiting(f));
}

void vector_feed_nodes(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct vector_feed *f = c->app->vector_feed;
    size_t taken;

    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    taken = vector_lines_add(f->lines, c->account_id, ids, n);
    tell_waiting(f);
    pthread_cond_signal(&f->work);
    pthread_mutex_unlock(&f->lock);
    if (taken < n && f->app->metrics)
        metrics_add(f->app->metrics, &DROPPED, "", (double)(n - taken));
}

size_t vector_feed_waiting(struct vector_feed *f)
{
    size_t n;

    pthread_mutex_lock(&f->lock);
    n = waiting(f);
    pthread_mutex_unlock(&f->lock);
    return n;
}

/* Long texts of one account do not hold back the short ones of the others, and each turn sees the account's settings of the
 * moment. The time counts from the first question, behind which there is always a batch: so each turn gets on. */
static bool should_stop(void *arg)
{
    struct vector_feed *f = arg;
    int64_t now = clock_monotonic_us();
    bool stop;

    pthread_mutex_lock(&f->lock);
    if (!f->turn_ends)
        f->turn_ends = now + TURN_US;
    f->interrupted = now >= f->turn_ends;
    stop = f->ends || f->interrupted;
    pthread_mutex_unlock(&f->lock);
    return stop;
}

static err embed(struct ctx *c, struct vector_feed *f, struct uuid account, const struct uuid *ids, size_t n,
                 struct vectors_done *done)
{
    *done = (struct vectors_done){0};
    TRY(access_as_system(c, account, "vectors"));
    return vectors_embed(c, &(struct vectors_work){ids, n, should_stop, f}, done);
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
    while (!waiting(f) && !f->ends)
        pthread_cond_wait(&f->work, &f->lock);
    if (f->ends || waiting(f) >= AT_ONCE)
        return;
    pthread_mutex_unlock(&f->lock);
    usleep(f->is_idle ? IDLE_US : GATHER_US);
    pthread_mutex_lock(&f->lock);
}

/* The next account's turn, with the lock held before and after. What is left of an interrupted one keeps its place; what was
 * done of it already is not due any more. An account without a model is asked once for all its nodes. */
static void serve(struct ctx *c, struct vector_feed *f)
{
    struct uuid ids[AT_ONCE], account;
    size_t n = vector_lines_next(f->lines, &account, ids, AT_ONCE);
    struct vectors_done done;
    bool failed;

    f->at_work = n;
    f->turn_ends = 0;
    f->interrupted = false;
    tell_waiting(f);
    pthread_mutex_unlock(&f->lock);
    ctx_begin(c, 0);
    c->request_id = "vectors";
    failed = embed(c, f, account, ids, n, &done) != ERR_OK;
    pthread_mutex_lock(&f->lock);
    vector_lines_served(f->lines, f->interrupted ? 0 : done.no_model ? SIZE_MAX : n);
    f->at_work = 0;
    f->is_idle = done.no_model && !waiting(f);
    tell_waiting(f);
    if (!failed || f->interrupted || f->ends)
        return;
    pthread_mutex_unlock(&f->lock);
    complain(c, f, n);
    sleep(PAUSE_S);
    pthread_mutex_lock(&f->lock);
}

static void *run(void *arg)
{
    struct vector_feed *f = arg;
    struct ctx c = {.arena = request_arena_new(), .app = f->app};

    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
    f->begin(&c);
    pthread_mutex_lock(&f->lock);
    for (;;) {
        wait_for_work(f);
        if (f->ends)
            break;
        serve(&c, f);
        arena_reset(c.arena);
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
    f->lines = vector_lines_new();
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
    vector_lines_free(f->lines);
    free(f);
    return true;
}
