/* The engine's clock, its leases, and who its work is done as; see engine.h. */
#include "engine.h"

#include <assert.h>
#include <stdlib.h>

#include "access.h"
#include "app.h"
#include "db.h"

struct engine *engine_new(const struct app *app, int threads)
{
    struct engine *e = calloc(1, sizeof *e);
    pthread_condattr_t attr;

    assert(e && app->jobs);
    e->app = app;
    e->list = app->jobs;
    e->id = uuid_new(clock_now().us);
    e->threads = threads;
    pthread_mutex_init(&e->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&e->wake, &attr);
    pthread_condattr_destroy(&attr);
    return e;
}

void engine_free(struct engine *e)
{
    if (!e)
        return;
    pthread_cond_destroy(&e->wake);
    pthread_mutex_destroy(&e->lock);
    free(e->map);
    free(e);
}

/* ---- time */

void engine_set_clock(struct engine *e, struct instant db_now)
{
    pthread_mutex_lock(&e->lock);
    e->db_now = db_now;
    e->db_now_at = clock_monotonic_us();
    e->moved_us = clock_moved_us();
    e->skew_us = clock_now().us - db_now.us;
    pthread_mutex_unlock(&e->lock);
}

struct instant engine_now(struct engine *e)
{
    struct instant now;

    if (e->fixed_now.us)
        return e->fixed_now;
    pthread_mutex_lock(&e->lock);
    now = e->db_now;
    if (now.us)
        now.us += clock_monotonic_us() - e->db_now_at + clock_moved_us() - e->moved_us;
    pthread_mutex_unlock(&e->lock);
    return now.us ? now : clock_now();
}

/* ---- who */

static err become_installation(struct ctx *c, const char *name)
{
    static const struct access NO_SPACES;
    struct principal *who = ARENA_NEW(c->arena, struct principal);

    *who = (struct principal){.kind = PRINCIPAL_SYSTEM, .account_slug = "", .account_name = "", .name = arena_strdup(c->arena, name),
                              .role = "system", .perms = ~(permissions)0};
    c->who = who;
    c->account_id = who->account_id;
    c->access = arena_memdup(c->arena, &NO_SPACES, sizeof NO_SPACES);
    return ERR_OK;
}

err engine_become(struct engine *e, struct ctx *c, struct uuid account_id, const char *name)
{
    c->request_id = arena_strdup(c->arena, name);
    c->now = engine_now(e);
    return uuid_is_nil(account_id) ? become_installation(c, name) : access_as_system(c, account_id, name);
}

/* ---- leases */

void lease_begin(struct engine *e, struct lease *l)
{
    l->renew_at = clock_monotonic_us() + l->lease_s * SECOND_US / 3;
    pthread_mutex_lock(&e->lock);
    l->next = e->leases;
    e->leases = l;
    pthread_mutex_unlock(&e->lock);
}

void lease_end(struct engine *e, struct lease *l)
{
    pthread_mutex_lock(&e->lock);
    for (struct lease **at = &e->leases; *at; at = &(*at)->next)
        if (*at == l) {
            *at = l->next;
            break;
        }
    pthread_mutex_unlock(&e->lock);
}

/* What is to be renewed now, copied, so that no lock is held while the database answers. */
struct renewal {
    struct uuid token;
    const char *job_name;
    struct uuid *ids;
    size_t n;
    int lease_s;
};

static size_t engine_collect(struct engine *e, struct arena *a, struct renewal *out, size_t max)
{
    int64_t now = clock_monotonic_us();
    size_t n = 0;

    pthread_mutex_lock(&e->lock);
    for (struct lease *l = e->leases; l && n < max; l = l->next) {
        if (l->renew_at > now || atomic_load(&l->lost))
            continue;
        l->renew_at = now + l->lease_s * SECOND_US / 3;
        out[n++] = (struct renewal){l->token, arena_strdup(a, l->job_name),
                                    l->n ? arena_memdup(a, l->ids, l->n * sizeof *l->ids) : NULL, l->n, l->lease_s};
    }
    pthread_mutex_unlock(&e->lock);
    return n;
}

static void mark_lost(struct engine *e, struct uuid token)
{
    pthread_mutex_lock(&e->lock);
    for (struct lease *l = e->leases; l; l = l->next)
        if (uuid_eq(l->token, token))
            atomic_store(&l->lost, true);
    pthread_mutex_unlock(&e->lock);
}

static err engine_renew(struct ctx *c, const struct renewal *r, struct instant now, bool *still)
{
    struct instant until = {now.us + r->lease_s * SECOND_US};
    int64_t held;

    if (r->job_name)
        return job_store_renew(c, r->job_name, r->token, until, still);
    TRY(task_store_renew(c, r->ids, r->n, r->token, until, &held));
    *still = held > 0;
    return ERR_OK;
}

void leases_renew(struct engine *e, struct ctx *c)
{
    struct renewal due[64];
    size_t n = engine_collect(e, c->arena, due, sizeof due / sizeof *due);

    for (size_t i = 0; i < n; i++) {
        bool still;

        /* the database away: the next third of the lease is another chance */
        if (engine_renew(c, &due[i], engine_now(e), &still) != ERR_OK)
            ctx_forgive(c);
        else if (!still)
            mark_lost(e, due[i].token);
    }
}

/* ---- handlers' side of a lease */

bool task_should_stop(const struct task_work *w)
{
    return atomic_load(&w->engine->stopping) || atomic_load(&w->lease->lost);
}

err task_finish_in_tx(struct ctx *c, struct task_work *w)
{
    int64_t rows;

    assert(db_in_tx(c));
    TRY(task_store_done(c, w->kind, w->lease->ids, w->n, w->lease->token, engine_now(w->engine), &rows));
    if (rows != (int64_t)w->n) {
        atomic_store(&w->lease->lost, true);
        return fail(c, ERR_CONFLICT, "the lease was lost; another worker has taken over");
    }
    w->outcome = TASK_FINISHED;
    return ERR_OK;
}
