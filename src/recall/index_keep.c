/* Keeping accounts current where so much changes that requests cannot: a thread that looks every quarter of a second. */
#include <assert.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "index_impl.h"

#define NICENESS 10                /* requests go first */
#define UNUSED_US (60 * SECOND_US) /* an account that nobody has asked for so long is not kept current */

struct index_keeper {
    const struct app *app;
    void (*begin)(struct ctx *c), (*end)(struct ctx *c);
    pthread_t thread;
    pthread_cond_t work; /* with the lock of recall_index */
    bool ends;
};

void index_keep_wake(struct recall_index *ri)
{
    if (ri->keeper)
        pthread_cond_signal(&ri->keeper->work);
}

static bool is_flooded(const struct account_index *e)
{
    return e->current && (e->flood.rows || e->flood.vectors);
}

/* It is as current as when it was last asked for: later a request may read the rest by itself. */
static bool is_left_alone(const struct account_index *e, int64_t now)
{
    return now - e->asked_us > UNUSED_US && e->flood.kept_mark && e->flood.kept_us > e->asked_us;
}

/* The one that is due first; NULL: none is flooded. The caller holds the lock. */
static struct account_index *next_kept(struct recall_index *ri, int64_t now)
{
    struct account_index *first = NULL;

    for (size_t i = 0; i < BUCKETS; i++)
        for (struct account_index *e = ri->bucket[i]; e; e = e->next) {
            if (is_flooded(e) && is_left_alone(e, now))
                e->flood = (struct index_flood){0};
            if (is_flooded(e) && (!first || e->flood.kept_us < first->flood.kept_us))
                first = e;
        }
    return first;
}

/* The caller holds the lock, which is given up meanwhile. */
static void keep_account(struct ctx *c, struct recall_index *ri, struct account_index *e)
{
    e->users++;
    e->flood.kept_us = clock_monotonic_us();
    pthread_mutex_unlock(&ri->lock);
    ctx_begin(c, 0);
    c->request_id = "index";
    c->account_id = e->account;
    c->model_id = e->model;
    if (index_delta_keep(c, ri, e) != ERR_OK)
        ctx_forgive(c); /* it is tried again at once; who asks meanwhile says index_stale by himself */
    arena_reset(c->arena);
    index_let_go(ri, e);
    pthread_mutex_lock(&ri->lock);
}

static void wait_until(struct index_keeper *k, struct recall_index *ri, int64_t us)
{
    struct timespec t = {us / SECOND_US, us % SECOND_US * 1000};

    (void)!pthread_cond_clockwait(&k->work, &ri->lock, CLOCK_MONOTONIC, &t);
}

static void *keep_accounts(void *arg)
{
    struct index_keeper *k = arg;
    struct recall_index *ri = k->app->recall;
    struct ctx c = {.arena = request_arena_new(), .app = k->app};

    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
    k->begin(&c);
    pthread_mutex_lock(&ri->lock);
    while (!k->ends) {
        int64_t now = clock_monotonic_us();
        struct account_index *e = next_kept(ri, now);

        if (!e)
            pthread_cond_wait(&k->work, &ri->lock);
        else if (e->flood.kept_us + INDEX_KEEP_US > now)
            wait_until(k, ri, e->flood.kept_us + INDEX_KEEP_US);
        else
            keep_account(&c, ri, e);
    }
    pthread_mutex_unlock(&ri->lock);
    k->end(&c);
    arena_free(c.arena);
    return NULL;
}

void index_keep_begin(const struct app *app, void (*begin)(struct ctx *c), void (*end)(struct ctx *c))
{
    struct index_keeper *k = calloc(1, sizeof *k);
    int r;

    assert(k);
    *k = (struct index_keeper){.app = app, .begin = begin, .end = end};
    pthread_cond_init(&k->work, NULL);
    app->recall->keeper = k;
    r = pthread_create(&k->thread, NULL, keep_accounts, k);
    assert(r == 0);
}

bool index_keep_end(struct recall_index *ri)
{
    struct index_keeper *k = ri->keeper;
    struct timespec until = {clock_monotonic_us() / SECOND_US + 2, 0};

    if (!k)
        return true;
    pthread_mutex_lock(&ri->lock);
    k->ends = true;
    index_keep_wake(ri);
    pthread_mutex_unlock(&ri->lock);
    if (pthread_clockjoin_np(k->thread, NULL, CLOCK_MONOTONIC, &until) != 0)
        return false;
    ri->keeper = NULL;
    pthread_cond_destroy(&k->work);
    free(k);
    return true;
}

static void keep_late(struct account_index *e, void *arg)
{
    int64_t since_us = *(const int64_t *)arg;

    if (!e->late_us || since_us - 1 < e->late_us)
        e->late_us = since_us - 1;
    e->n_late++;
}

void index_wrote_late(const struct app *app, const struct uuid *account_id, int64_t since_us)
{
    if (app->recall)
        index_each(app->recall, *account_id, keep_late, &since_us);
}
