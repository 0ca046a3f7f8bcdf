/* What one thread does once a second: read the clock, fire, start, fold, and see which continuous jobs are due. */
#include "app.h"
#include "engine.h"
#include "log.h"

#define SKEW_US (5 * SECOND_US)

static err see_passes(struct engine *e, struct ctx *c, struct instant now)
{
    struct job_row *rows;
    size_t n;

    TRY(job_store_due_passes(c, now, &rows, &n));
    pthread_mutex_lock(&e->lock);
    e->n_passes = 0;
    for (size_t i = 0; i < n && e->n_passes < PASSES_MAX; i++) {
        struct due_pass *p = &e->passes[e->n_passes];

        p->job = job_find(e->list, rows[i].name);
        p->next_fire_at = rows[i].next_fire_at;
        e->n_passes += p->job != NULL;
    }
    if (e->n_passes)
        pthread_cond_broadcast(&e->wake);
    pthread_mutex_unlock(&e->lock);
    return ERR_OK;
}

/* Said when it begins, not every second. */
static void watch_skew(struct engine *e, int64_t before)
{
    bool was = before > SKEW_US || before<-SKEW_US, is = e->skew_us> SKEW_US || e->skew_us < -SKEW_US;

    if (is && !was)
        log_say(e->app->log, LOG_WARN, "this host's clock is %.1f s off the database's", (double)e->skew_us / SECOND_US);
}

err engine_tick(struct engine *e, struct ctx *c)
{
    struct job_poll poll;
    struct instant now;
    int64_t folded, skew = e->skew_us; /* written by this thread only */

    TRY(job_store_poll(c, &poll));
    engine_set_clock(e, poll.now);
    now = engine_now(e);
    c->now = now;
    watch_skew(e, skew);
    if (atomic_load(&e->stopping))
        return ERR_OK;
    if (poll.next_fire_at.us && poll.next_fire_at.us <= now.us) {
        TRY(fire_due(e, c, now));
        TRY(see_passes(e, c, now));
        TRY(job_store_poll(c, &poll));
    }
    if (!poll.open)
        return ERR_OK;
    TRY(start_waiting(e, c, now));
    return fold_runs(e, c, now, &folded);
}

err engine_work(struct engine *e, struct ctx *c, bool urgent_only, bool *did)
{
    *did = false;
    if (atomic_load(&e->stopping))
        return ERR_OK;
    if (!urgent_only)
        TRY(pass_work(e, c, did));
    return *did ? ERR_OK : queue_work(e, c, urgent_only, did);
}
