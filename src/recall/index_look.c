/* Looking at an account while MariaDB is asked what has changed in it; see index.h. */
#include <assert.h>

#include "app.h"
#include "index_impl.h"

/* Where something has just changed, more will, and the work would be done twice. */
#define QUIET_US SECOND_US

struct index_look {
    struct account_index *e; /* NULL: let go of */
    struct snapshot *then;
    struct db_later later;
    struct index_since since;
    int64_t began_us;
};

static bool is_quiet(const struct recall_index *ri, const struct account_index *e, int64_t now)
{
    return e->current && !e->loading && !e->lacks_vectors && !atomic_load(&e->replaced) && !index_is_old(ri, e) &&
           !index_is_fresh(ri, e, now) &&
           (!e->changed_us || now - e->changed_us > QUIET_US);
}

/* false: somebody is at it, or has just been, or the account has to be read first. */
static bool may_go_ahead(struct recall_index *ri, struct account_index *e, int64_t now, int64_t *watermark)
{
    bool quiet;

    if (pthread_mutex_trylock(&e->busy) != 0)
        return false;
    quiet = is_quiet(ri, e, now);
    *watermark = e->watermark;
    pthread_mutex_unlock(&e->busy);
    return quiet;
}

static void let_go(struct recall_index *ri, struct index_look *look)
{
    if (look->e)
        index_let_go(ri, look->e);
    look->e = NULL;
}

struct held {
    struct recall_index *ri;
    struct index_look *look;
};

static void index_look_release(void *arg)
{
    struct held *h = arg;

    let_go(h->ri, h->look);
    snapshot_drop(h->look->then);
}

err index_look_begin(struct ctx *c, const struct snapshot **out, const char **degraded, struct index_look **look)
{
    struct recall_index *ri = c->app->recall;
    struct account_index *e = index_entry(ri, c->account_id, c->model_id);
    int64_t now = clock_monotonic_us(), watermark;
    struct snapshot *then = may_go_ahead(ri, e, now, &watermark) ? index_current(ri, e) : NULL;
    struct held *h;

    *look = NULL;
    if (!then) {
        index_let_go(ri, e);
        return index_snapshot(c, out, degraded);
    }
    h = ARENA_NEW(c->arena, struct held);
    *look = ARENA_NEW(c->arena, struct index_look);
    **look = (struct index_look){.e = e, .then = then, .began_us = now};
    *h = (struct held){ri, *look};
    arena_defer(c->arena, index_look_release, h);
    (*look)->since = index_delta_ask(c, ri, e, watermark, &(*look)->later);
    *out = then;
    *degraded = NULL;
    return ERR_OK;
}

/* Nothing was news: as good as a look of index_snapshot(), unless another one has found something meanwhile. */
static void index_look_note(struct recall_index *ri, const struct index_look *look, int64_t asked)
{
    struct account_index *e = look->e;
    struct snapshot *now;

    if (pthread_mutex_trylock(&e->busy) != 0)
        return;
    now = index_current(ri, e);
    if (now == look->then) {
        if (asked > e->watermark)
            e->watermark = asked;
        if (look->began_us > e->checked_us)
            e->checked_us = look->began_us;
        index_delta_seen(ri, e, &look->since);
    }
    pthread_mutex_unlock(&e->busy);
    snapshot_drop(now);
}

err index_look_end(struct ctx *c, struct index_look *look, const struct snapshot **out, const char **degraded, bool *changed)
{
    struct recall_index *ri = c->app->recall;
    int64_t asked;
    bool any;

    *changed = false;
    if (index_delta_any(c, ri, look->e, look->then, &look->later, &any, &asked) != ERR_OK) {
        ctx_forgive(c);
        *degraded = "index_stale";
        let_go(ri, look);
        return ERR_OK;
    }
    if (!any)
        index_look_note(ri, look, asked);
    let_go(ri, look);
    if (!any)
        return ERR_OK;
    TRY(index_snapshot(c, out, degraded));
    *changed = *out != look->then;
    return ERR_OK;
}
