/* The lines of nodes that wait, and the threads that serve them; see vector_feed.h. */
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
#include "config.h"
#include "errand.h"
#include "log.h"
#include "metrics.h"
#include "node_vectors.h"
#include "vector_lines.h"
#include "vector_sweep.h"

#define THREADS 2                         /* while one talks to MariaDB, the other's texts keep the crew busy */
#define CREW_MAX 16                       /* threads that do nothing but compute */
#define AT_ONCE 256                       /* nodes of a turn */
#define COMPANY 64                        /* nodes that are worth a turn at once */
#define OWED_ROWS 4096                    /* nodes that are looked at at once where the queue was full */
#define OWED_OVERLAP_US (120 * SECOND_US) /* what is owed may carry an instant so much earlier than its write told us */
#define NICENESS 10                       /* requests go first; a tenth of a busy processor is left for vectors */
#define GATHER_US 20000                   /* so long it waits for company: a batch costs as many questions to MariaDB as one node … */
#define IDLE_US 100000                    /* … and so long where it just heard that there is no model and nobody else waits */
#define TURN_US 300000                    /* so long an account is served at a time; a batch is always made to its end */
#define PAUSE_S 1                         /* after a failure; meanwhile the queue may fill up */
#define END_S 2                           /* longest wait for the threads at the end */
#define COMPLAIN_US (60 * SECOND_US)

static const struct metric WAITING = {"loci_vectors_waiting", METRIC_GAUGE, "nodes that wait in this process for their vectors"};
static const struct metric DROPPED = {"loci_vectors_deferred_total", METRIC_COUNTER,
                                      "nodes whose vectors were left to the jobs: too many accounts wait, or the model failed"};
static const struct metric OWED = {"loci_vectors_owed_total", METRIC_COUNTER,
                                   "nodes that found no place in the queue and were read from the data again"};

struct vector_feed {
    struct app *app;
    void (*begin)(struct ctx *c), (*end)(struct ctx *c);
    struct helpers *crew;
    size_t n_threads;
    pthread_t threads[THREADS];
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work;
    bool ends;
    struct vector_lines *lines;
    bool is_idle; /* the last account had no model, and nobody else waited */
    int64_t complained_at;
};

/* A turn of one of the threads. */
struct serving {
    struct vector_feed *f;
    struct vector_turn turn;
    struct uuid ids[AT_ONCE];
    int64_t ends_us;  /* monotonic; 0: nobody has asked yet */
    bool interrupted; /* it was over before its nodes were */
};

/* The caller holds the lock. */
static void tell_waiting(struct vector_feed *f)
{
    if (f->app->metrics)
        metrics_set(f->app->metrics, &WAITING, "", (double)vector_lines_waiting(f->lines));
}

static void count_nodes(const struct vector_feed *f, const struct metric *m, size_t n)
{
    if (n && f->app->metrics)
        metrics_add(f->app->metrics, m, "", (double)n);
}

void vector_feed_nodes(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct vector_feed *f = c->app->vector_feed;
    size_t taken;
    bool owed;

    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    taken = vector_lines_add(f->lines, c->account_id, ids, n);
    owed = taken < n && vector_lines_owe(f->lines, c->account_id, n - taken, c->now.us - OWED_OVERLAP_US);
    tell_waiting(f);
    pthread_cond_signal(&f->work);
    pthread_mutex_unlock(&f->lock);
    count_nodes(f, owed ? &OWED : &DROPPED, n - taken);
}

size_t vector_feed_waiting_of(struct vector_feed *f, struct uuid account_id)
{
    size_t n;

    pthread_mutex_lock(&f->lock);
    n = vector_lines_waiting_of(f->lines, account_id);
    pthread_mutex_unlock(&f->lock);
    return n;
}

/* Long texts of one account do not hold back the short ones of the others, and each turn sees the account's settings of the
 * moment. The time counts from the first question, behind which there is always a batch: so each turn gets on. */
static bool turn_should_stop(void *arg)
{
    struct serving *s = arg;
    int64_t now = clock_monotonic_us();
    bool ends;

    pthread_mutex_lock(&s->f->lock);
    ends = s->f->ends;
    pthread_mutex_unlock(&s->f->lock);
    if (!s->ends_us)
        s->ends_us = now + TURN_US;
    s->interrupted = now >= s->ends_us;
    return ends || s->interrupted;
}

/* Said once a minute: the jobs go on where this could not. */
static void complain(struct ctx *c, struct vector_feed *f, size_t n)
{
    bool is_news;

    count_nodes(f, &DROPPED, n);
    pthread_mutex_lock(&f->lock);
    is_news = c->fault.code != ERR_NOT_FOUND && clock_monotonic_us() > f->complained_at + COMPLAIN_US;
    if (is_news)
        f->complained_at = clock_monotonic_us();
    pthread_mutex_unlock(&f->lock);
    if (is_news)
        log_say(f->app->log, LOG_WARN, "vectors wait for the job embedding_backfill: %s", c->fault.message);
}

/* Waits, with the lock held before and after, until there is a batch worth making. */
static void wait_for_work(struct vector_feed *f)
{
    while (!vector_lines_have_work(f->lines) && !f->ends)
        pthread_cond_wait(&f->work, &f->lock);
    if (f->ends || vector_lines_waiting(f->lines) >= COMPANY)
        return;
    pthread_mutex_unlock(&f->lock);
    usleep(f->is_idle ? IDLE_US : GATHER_US);
    pthread_mutex_lock(&f->lock);
}

/* ---- a turn; the lock is held by those that say so */

/* What is left of an interrupted turn comes first at the account's next one; what was done of it already is not due any more.
 * An account without a model is asked once for all its nodes. */
static err embed_turn(struct ctx *c, struct serving *s)
{
    struct vectors_done done = {0};
    struct vector_feed *f = s->f;
    err r = access_as_system(c, s->turn.account, "vectors");
    bool ends;

    if (r == ERR_OK)
        r = vectors_embed(c, &(struct vectors_work){s->ids, s->turn.n, turn_should_stop, s}, &done);
    pthread_mutex_lock(&f->lock);
    vector_lines_end(f->lines, &s->turn, s->ids, s->interrupted ? s->turn.n : 0, done.no_model);
    f->is_idle = done.no_model && !vector_lines_have_work(f->lines);
    tell_waiting(f);
    ends = f->ends;
    pthread_mutex_unlock(&f->lock);
    return s->interrupted || ends ? ERR_OK : r;
}

/* Where the queue was full, the account's changes are looked through, a portion at a time. */
static err read_owed_turn(struct ctx *c, struct serving *s)
{
    struct vector_sweep sweep = {.position = {s->turn.position, s->turn.n_position}, .since = {s->turn.since_us},
                                 .limit = s->turn.room < OWED_ROWS ? (int64_t)s->turn.room : OWED_ROWS};
    struct vector_feed *f = s->f;
    err r = access_as_system(c, s->turn.account, "vectors");

    if (r == ERR_OK)
        r = vector_sweep_changed(c, &sweep);
    pthread_mutex_lock(&f->lock);
    if (r == ERR_OK)
        vector_lines_end_owed(f->lines, &s->turn, sweep.missing, sweep.n, sweep.position, sweep.more);
    else
        vector_lines_end_owed(f->lines, &s->turn, NULL, 0, (struct bytes){s->turn.position, s->turn.n_position}, true);
    tell_waiting(f);
    pthread_cond_broadcast(&f->work);
    pthread_mutex_unlock(&f->lock);
    return r;
}

static void serve_turn(struct ctx *c, struct serving *s)
{
    err r;

    ctx_begin(c, 0);
    c->request_id = "vectors";
    s->ends_us = 0;
    s->interrupted = false;
    r = s->turn.reads_owed ? read_owed_turn(c, s) : embed_turn(c, s);
    if (r != ERR_OK) {
        complain(c, s->f, s->turn.n);
        sleep(PAUSE_S);
    }
    arena_reset(c->arena);
}

static void *serve_lines(void *arg)
{
    struct vector_feed *f = arg;
    struct ctx c = {.arena = request_arena_new(), .app = f->app};
    struct serving s = {.f = f};

    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
    f->begin(&c);
    pthread_mutex_lock(&f->lock);
    for (;;) {
        wait_for_work(f);
        if (f->ends)
            break;
        if (!vector_lines_begin(f->lines, s.ids, AT_ONCE, &s.turn))
            continue;
        tell_waiting(f);
        pthread_mutex_unlock(&f->lock);
        serve_turn(&c, &s);
        pthread_mutex_lock(&f->lock);
    }
    pthread_mutex_unlock(&f->lock);
    f->end(&c);
    arena_free(c.arena);
    return NULL;
}

static struct helpers *new_crew(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return helpers_new_idle(n < 1 ? 1 : n < CREW_MAX ? (size_t)n : CREW_MAX);
}

struct vector_feed *vector_feed_new(struct app *app, void (*begin)(struct ctx *c), void (*end)(struct ctx *c))
{
    struct vector_feed *f = calloc(1, sizeof *f);

    assert(f);
    f->app = app;
    f->begin = begin;
    f->end = end;
    f->lines = vector_lines_new((size_t)app->conf->embed_queue);
    app->embed_crew = f->crew = new_crew();
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->work, NULL);
    for (; f->n_threads < THREADS; f->n_threads++) {
        int r = pthread_create(&f->threads[f->n_threads], NULL, serve_lines, f);

        assert(r == 0);
    }
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
    until = (struct timespec){clock_monotonic_us() / SECOND_US + END_S, 0};
    for (; f->n_threads; f->n_threads--)
        if (pthread_clockjoin_np(f->threads[f->n_threads - 1], NULL, CLOCK_MONOTONIC, &until) != 0)
            return false;
    f->app->embed_crew = NULL;
    helpers_free(f->crew);
    pthread_cond_destroy(&f->work);
    pthread_mutex_destroy(&f->lock);
    vector_lines_free(f->lines);
    free(f);
    return true;
}
