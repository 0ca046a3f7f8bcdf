/* Runs the engine on threads; see scheduler.h. */
#include "scheduler.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "job_service.h"
#include "log.h"
#include "stats_store.h"
#include "systemd.h"
#include "wake.h"

#define TICK_US SECOND_US
#define HEARTBEAT_US (5 * SECOND_US)
#define IDLE_US (200000LL) /* workers look up this often; the map itself is read once a second */
#define BUSY_US 50000      /* … and this often right after work or a hint */
#define BACKOFF_MAX_US (30 * SECOND_US)
#define STOP_US (9 * SECOND_US)

struct thread {
    struct scheduler *s;
    pthread_t id;
    bool urgent_only;
    bool started;
    atomic_bool ended;
};

struct scheduler {
    const struct scheduler_setup *setup;
    struct engine *e;
    struct instant started_at;
    struct thread *workers, renewer, waiter;
    int n_workers;
    int moved_fd; /* readable: the clock was moved, so what is due now is looked for at once */
};

static void scheduler_begin(struct ctx *c, const struct scheduler *s)
{
    *c = (struct ctx){.arena = request_arena_new(), .app = s->setup->app};
    s->setup->thread_begin(c);
    ctx_begin(c, 0);
}

static void scheduler_end(struct ctx *c, const struct scheduler *s)
{
    s->setup->thread_end(c);
    arena_free(c->arena);
}

/* Everything of the turn before is forgotten. */
static void scheduler_next(struct ctx *c, const struct scheduler *s)
{
    arena_reset(c->arena);
    ctx_begin(c, 0);
    c->now = engine_now(s->e);
}

/* That a store is away is said by one thread, not by all of them. */
static void scheduler_complain(struct ctx *c, const struct scheduler *s, const char *what, bool is_clock)
{
    enum log_level level = c->fault.code != ERR_UNAVAILABLE ? LOG_ERROR : is_clock ? LOG_WARN : LOG_DEBUG;

    log_say(s->setup->app->log, level, "%s: %s (%s:%d)", what, c->fault.message ? c->fault.message : "?",
            c->fault.file ? c->fault.file : "", c->fault.line);
}

/* Sleeps until somebody has work for us, or that long. */
static void doze(struct engine *e, int64_t us)
{
    int64_t at = clock_monotonic_us() + us;
    struct timespec until = {.tv_sec = (time_t)(at / SECOND_US), .tv_nsec = (long)(at % SECOND_US) * 1000};

    pthread_mutex_lock(&e->lock);
    if (!atomic_load(&e->stopping))
        pthread_cond_timedwait(&e->wake, &e->lock, &until);
    pthread_mutex_unlock(&e->lock);
}

static int64_t scheduler_longer(int64_t backoff_us)
{
    backoff_us = backoff_us ? backoff_us * 2 : SECOND_US;
    return backoff_us < BACKOFF_MAX_US ? backoff_us : BACKOFF_MAX_US;
}

/* ---- workers */

static void *scheduler_work(void *arg)
{
    struct thread *t = arg;
    struct engine *e = t->s->e;
    int64_t backoff_us = 0;
    struct ctx c;

    scheduler_begin(&c, t->s);
    while (!atomic_load(&e->stopping)) {
        bool did;
        err result;

        scheduler_next(&c, t->s);
        result = engine_work(e, &c, t->urgent_only, &did);
        if (result != ERR_OK)
            scheduler_complain(&c, t->s, "work", false);
        backoff_us = result == ERR_OK ? 0 : scheduler_longer(backoff_us);
        if (backoff_us)
            doze(e, backoff_us);
        else if (!did)
            doze(e, e->map_hot ? BUSY_US : IDLE_US);
    }
    scheduler_end(&c, t->s);
    atomic_store(&t->ended, true);
    return NULL;
}

/* ---- leases go on being renewed until the last worker has ended */

static bool workers_ended(const struct scheduler *s)
{
    for (int i = 0; i < s->n_workers; i++)
        if (s->workers[i].started && !atomic_load(&s->workers[i].ended))
            return false;
    return true;
}

static void *scheduler_renew(void *arg)
{
    struct thread *t = arg;
    struct ctx c;

    scheduler_begin(&c, t->s);
    while (!atomic_load(&t->s->e->stopping) || !workers_ended(t->s)) {
        scheduler_next(&c, t->s);
        leases_renew(t->s->e, &c);
        nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
    }
    scheduler_end(&c, t->s);
    atomic_store(&t->ended, true);
    return NULL;
}

/* ---- hints */

/* The hint may be that somebody has moved the clock (debug.clock_file). */
static void notice_move(const struct scheduler *s, int64_t *moved_us)
{
    if (*moved_us != clock_moved_us())
        eventfd_write(s->moved_fd, 1);
    *moved_us = clock_moved_us();
}

static void *await_hints(void *arg)
{
    struct thread *t = arg;
    int64_t moved_us = clock_moved_us();
    struct ctx c;

    scheduler_begin(&c, t->s);
    while (!atomic_load(&t->s->e->stopping)) {
        bool woken = false;

        scheduler_next(&c, t->s);
        if (wake_wait(&c, &woken) != ERR_OK) /* Redis away: workers look once a second anyway */
            doze(t->s->e, SECOND_US);
        else if (woken)
            queue_stir(t->s->e);
        notice_move(t->s, &moved_us);
    }
    scheduler_end(&c, t->s);
    atomic_store(&t->ended, true);
    return NULL;
}

/* ---- the clock */

static err heartbeat(struct scheduler *s, struct ctx *c)
{
    const struct app *app = s->setup->app;
    struct scheduler_row row = {.id = s->e->id, .host = app->host ? app->host : "", .pid = getpid(),
                                .version = LOCI_VERSION, .threads = s->n_workers,
                                .running = atomic_load(&s->e->running), .skew_us = s->e->skew_us,
                                .heartbeat_at = engine_now(s->e), .stopping = atomic_load(&s->e->stopping)};

    if (!s->started_at.us)
        s->started_at = row.heartbeat_at;
    row.started_at = s->started_at;
    TRY(scheduler_store_put(c, &row));
    return stats_flush(s->e, c);
}

/* true: told to stop. */
static bool scheduler_wait_for_stop(const struct scheduler *s, int64_t us)
{
    struct pollfd p[] = {{.fd = s->setup->stop_fd, .events = POLLIN}, {.fd = s->moved_fd, .events = POLLIN}};
    eventfd_t times;

    if (poll(p, 2, (int)(us / 1000)) > 0 && p[1].revents)
        eventfd_read(s->moved_fd, &times);
    return p[0].revents;
}

static err declare(struct scheduler *s, struct ctx *c)
{
    struct instant now;

    TRY(jobs_now(c, &now));
    engine_set_clock(s->e, now);
    return jobs_declare(c, now);
}

static void keep_time(struct scheduler *s, struct ctx *c)
{
    int64_t beat_at = 0, backoff_us = 0;
    bool declared = false;

    do {
        err result;

        scheduler_next(c, s);
        result = declared ? ERR_OK : declare(s, c);
        declared = declared || result == ERR_OK;
        if (result == ERR_OK)
            result = engine_tick(s->e, c);
        if (result == ERR_OK && clock_monotonic_us() >= beat_at) {
            beat_at = clock_monotonic_us() + HEARTBEAT_US;
            result = heartbeat(s, c);
        }
        if (result != ERR_OK)
            scheduler_complain(c, s, "clock", true);
        backoff_us = result == ERR_OK ? 0 : scheduler_longer(backoff_us);
        systemd_notify("WATCHDOG=1");
    } while (!scheduler_wait_for_stop(s, backoff_us ? backoff_us : TICK_US - clock_monotonic_us() % TICK_US));
}

/* ---- starting and stopping */

static void scheduler_start(struct thread *t, struct scheduler *s, void *(*run)(void *))
{
    t->s = s;
    t->started = pthread_create(&t->id, NULL, run, t) == 0;
    assert(t->started);
}

static bool all_ended(const struct scheduler *s)
{
    return workers_ended(s) && atomic_load(&s->renewer.ended) && atomic_load(&s->waiter.ended);
}

static bool wind_up(struct scheduler *s, struct ctx *c)
{
    int64_t until = clock_monotonic_us() + STOP_US;

    systemd_notify("STOPPING=1");
    pthread_mutex_lock(&s->e->lock);
    atomic_store(&s->e->stopping, true);
    pthread_cond_broadcast(&s->e->wake);
    pthread_mutex_unlock(&s->e->lock);
    scheduler_next(c, s);
    if (heartbeat(s, c) != ERR_OK)
        scheduler_complain(c, s, "stop", true);
    while (!all_ended(s) && clock_monotonic_us() < until)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    scheduler_next(c, s);
    if (stats_flush(s->e, c) != ERR_OK || scheduler_store_remove(c, s->e->id) != ERR_OK)
        scheduler_complain(c, s, "stop", true);
    return all_ended(s);
}

bool scheduler_run(const struct scheduler_setup *setup)
{
    int urgent = setup->threads >= 8 ? setup->threads / 4 : setup->threads >= 2 ? 1 : 0;
    struct scheduler *s = calloc(1, sizeof *s);
    struct ctx c;
    bool clean;

    assert(s && setup->threads >= 1);
    s->setup = setup;
    s->e = engine_new(setup->app, setup->threads);
    s->n_workers = setup->threads;
    s->moved_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->workers = calloc((size_t)setup->threads, sizeof *s->workers);
    assert(s->workers);
    scheduler_begin(&c, s);
    for (int i = 0; i < s->n_workers; i++) {
        s->workers[i].urgent_only = i < urgent;
        scheduler_start(&s->workers[i], s, scheduler_work);
    }
    scheduler_start(&s->renewer, s, scheduler_renew);
    scheduler_start(&s->waiter, s, await_hints);
    systemd_notify("READY=1");
    log_say(setup->app->log, LOG_INFO, "ready: %d threads", s->n_workers);
    keep_time(s, &c);
    clean = wind_up(s, &c);
    if (!clean)
        return false; /* a thread still uses all this */
    for (int i = 0; i < s->n_workers; i++)
        pthread_join(s->workers[i].id, NULL);
    pthread_join(s->renewer.id, NULL);
    pthread_join(s->waiter.id, NULL);
    scheduler_end(&c, s);
    close(s->moved_fd);
    engine_free(s->e);
    free(s->workers);
    free(s);
    return true;
}
