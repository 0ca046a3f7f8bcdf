/* A pile of errands that helpers take from the top, and owners from wherever theirs is; see errand.h. */
#include "errand.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

struct helpers {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct errand *first; /* those that nobody has begun, the last one first */
    bool ends;
    int policy; /* of the scheduler */
    size_t n;
    pthread_t threads[];
};

/* ---- the helper: the lock is held but for the work itself */

static struct errand *errand_take(struct helpers *h)
{
    struct errand *e = h->first;

    h->first = e->next;
    e->state = ERRAND_TAKEN;
    return e;
}

/* A helper takes an idle processor. Where there is none, it would by default interrupt the very thread that has woken it, and do
 * before that one's own work what should have been done beside it. */
static void step_back(int policy)
{
    struct sched_param none = {0};

    (void)!pthread_setschedparam(pthread_self(), policy, &none);
}

static void *help(void *arg)
{
    struct helpers *h = arg;

    step_back(h->policy);
    pthread_mutex_lock(&h->lock);
    while (!h->ends) {
        struct errand *e;

        if (!h->first) {
            pthread_cond_wait(&h->work, &h->lock);
            continue;
        }
        e = errand_take(h);
        pthread_mutex_unlock(&h->lock);
        e->run(e->arg);
        pthread_mutex_lock(&h->lock);
        e->state = ERRAND_DONE;
        pthread_cond_broadcast(&h->done);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static struct helpers *helpers_of(size_t n, int policy)
{
    struct helpers *h = calloc(1, sizeof *h + n * sizeof *h->threads);

    assert(h);
    h->policy = policy;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->work, NULL);
    pthread_cond_init(&h->done, NULL);
    while (h->n < n && pthread_create(&h->threads[h->n], NULL, help, h) == 0)
        h->n++;
    return h;
}

struct helpers *helpers_new(size_t n)
{
    return helpers_of(n, SCHED_BATCH);
}

struct helpers *helpers_new_idle(size_t n)
{
    return helpers_of(n, SCHED_IDLE);
}

void helpers_free(struct helpers *h)
{
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    assert(!h->first);
    h->ends = true;
    pthread_cond_broadcast(&h->work);
    pthread_mutex_unlock(&h->lock);
    for (size_t i = 0; i < h->n; i++)
        pthread_join(h->threads[i], NULL);
    pthread_cond_destroy(&h->done);
    pthread_cond_destroy(&h->work);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

/* ---- the one who has work */

void errand_begin(struct helpers *h, struct errand *e)
{
    e->by = NULL;
    e->state = ERRAND_OPEN;
    if (!h || !h->n)
        return;
    e->by = h;
    pthread_mutex_lock(&h->lock);
    e->next = h->first;
    h->first = e;
    pthread_cond_signal(&h->work);
    pthread_mutex_unlock(&h->lock);
}

/* From now on no helper has it: it is done, or open. */
static void errand_take_back(struct errand *e)
{
    struct helpers *h = e->by;
    struct errand **at;

    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    if (e->state == ERRAND_OPEN) {
        for (at = &h->first; *at != e;)
            at = &(*at)->next;
        *at = e->next;
    }
    while (e->state == ERRAND_TAKEN)
        pthread_cond_wait(&h->done, &h->lock);
    pthread_mutex_unlock(&h->lock);
    e->by = NULL;
}

void errand_end(struct errand *e)
{
    errand_take_back(e);
    if (e->state == ERRAND_OPEN)
        e->run(e->arg);
    e->state = ERRAND_DONE;
}

static void wait_for_helper(struct errand *e, int64_t until_us)
{
    struct timespec until = {until_us / SECOND_US, until_us % SECOND_US * 1000};
    struct helpers *h = e->by;
    int r = 0;

    pthread_mutex_lock(&h->lock);
    while (r == 0 && e->state == ERRAND_OPEN)
        r = pthread_cond_clockwait(&h->done, &h->lock, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&h->lock);
}

void errand_end_patiently(struct errand *e, int64_t patience_us)
{
    if (e->by)
        wait_for_helper(e, clock_monotonic_us() + patience_us);
    errand_end(e);
}

void errand_drop(struct errand *e)
{
    errand_take_back(e);
    e->state = ERRAND_DONE;
}
