/* Continuous jobs (@every): a firing does its accounts in line, for a minute at most, and adds to the row of the hour. */
#include <string.h>

#include "cron.h"
#include "db.h"
#include "engine.h"
#include "run_store.h"
#include "slice.h"
#include "stats_store.h"

#define PASS_LEASE_S 30 /* renewed at a third of it */
#define PAGE 1000       /* accounts a statement */
#define HOUR_US (3600 * SECOND_US)
#define TELL_US (60 * SECOND_US) /* a pass that found nothing writes its row no more often */

struct pass {
    struct engine *e;
    const struct job *job;
    const struct job_row *row;
    struct lease lease;
    struct hour hour; /* our copy */
    int64_t began_us; /* monotonic */
    int64_t ends_us;  /* monotonic */
    bool more;        /* somewhere a bound was reached: once more at once */
    bool over;        /* time, stop, or the lease is lost */
    bool lost;
    enum run_status worst;
    const char *error;
    int64_t scanned, changed, failed;
    struct arena *account_arena, *batch_arena;
};

/* ---- taking one */

static bool pass_take(struct engine *e, struct due_pass *out)
{
    bool got;

    pthread_mutex_lock(&e->lock);
    got = e->n_passes > 0;
    if (got) {
        *out = e->passes[0];
        e->n_passes--;
        memmove(e->passes, e->passes + 1, e->n_passes * sizeof *e->passes);
    }
    pthread_mutex_unlock(&e->lock);
    return got;
}

/* ---- the row of the hour */

static struct hour *hour_of(struct engine *e, const struct job *job)
{
    for (size_t i = 0; i < PASSES_MAX; i++)
        if (e->hours[i].job == job || !e->hours[i].job) {
            e->hours[i].job = job;
            return &e->hours[i];
        }
    return NULL;
}

static void recall_hour(struct pass *p)
{
    struct hour *h;

    pthread_mutex_lock(&p->e->lock);
    h = hour_of(p->e, p->job);
    if (h)
        p->hour = *h;
    pthread_mutex_unlock(&p->e->lock);
}

static void remember_hour(struct pass *p)
{
    struct hour *h;

    pthread_mutex_lock(&p->e->lock);
    h = hour_of(p->e, p->job);
    if (h)
        *h = p->hour;
    pthread_mutex_unlock(&p->e->lock);
}

static err open_hour(struct ctx *c, struct pass *p, struct instant now)
{
    struct instant begin = {now.us / HOUR_US * HOUR_US};
    /* "succeeded" until something fails: such a row is never seen running, so it can never be lost */
    struct run r = {.id = uuid_new(now.us), .job_name = p->job->name, .trigger = TRIGGER_CRON, .fire_at = begin,
                    .status = RUN_SUCCEEDED, .expanded = true, .created_at = now, .started_at = now, .finished_at = now,
                    .heartbeat_at = now};

    recall_hour(p);
    if (p->hour.begin.us == begin.us)
        return ERR_OK;
    TRY(run_store_hour(c, &r, &p->hour.row));
    p->hour.begin = begin;
    p->hour.told_at = clock_monotonic_us();
    return ERR_OK;
}

/* The row's own times span the hour, not the work: how often and how long stands in its counts. */
static err add_work(struct ctx *c, const struct pass *p)
{
    struct json *counts = json_obj(c->arena);
    struct run_delta d = {.counts = counts};

    json_set_int(c->arena, counts, RUN_PASSES, p->hour.passes);
    json_set_int(c->arena, counts, RUN_WORKED_US, p->hour.worked_us);
    return run_store_add(c, p->hour.row, &d, engine_now(p->e));
}

static err close_hour(struct ctx *c, struct pass *p)
{
    int64_t now = clock_monotonic_us();
    struct hour *h = &p->hour;

    h->passes++;
    h->worked_us += now - p->began_us;
    if (p->worst == RUN_SUCCEEDED && p->scanned == 0 && now - h->told_at < TELL_US)
        return ERR_OK;
    TRY(add_work(c, p));
    h->told_at = now;
    h->passes = h->worked_us = 0;
    return run_store_worsen(c, h->row, p->worst, p->error, engine_now(p->e));
}

/* ---- one account */

static void pass_worse(struct pass *p, enum run_status status, const char *error, struct arena *lasting)
{
    if (status == RUN_FAILED || p->worst == RUN_SUCCEEDED)
        p->worst = status;
    if (error && !p->error)
        p->error = arena_strdup(lasting, error);
}

static err pass_params_of(struct ctx *c, const struct pass *p, struct uuid account, const struct json **out)
{
    struct job_override o;

    *out = p->row->params;
    if (!p->job->params || uuid_is_nil(account))
        return ERR_OK;
    TRY(override_store_get(c, p->job->name, &o));
    *out = json_merge_patch(c->arena, p->row->params, o.params);
    return ERR_OK;
}

static err slice_of(struct ctx *c, struct pass *p, struct uuid account, struct slice_work *w, enum slice_end *end)
{
    const struct json *params;

    TRY(engine_become(p->e, c, account, arena_printf(c->arena, "job:%s", p->job->name)));
    TRY(pass_params_of(c, p, account, &params));
    *w = (struct slice_work){.engine = p->e, .params = params, .lease = &p->lease, .run_row = p->hour.row,
                             .turn_ends_us = p->ends_us, .batch_arena = p->batch_arena};
    w->s.job = p->job;
    w->s.account_id = account;
    w->s.run_id = p->hour.row;
    TRY(slice_open(c, w));
    return slice_loop(c, w, end);
}

static void conclude(struct pass *p, const struct slice_work *w, enum slice_end end, struct arena *lasting)
{
    p->scanned += w->scanned;
    p->changed += w->changed;
    p->failed += w->failed;
    p->more |= end == SLICE_BOUND || end == SLICE_TURN;
    p->lost |= end == SLICE_LEASE_LOST;
    p->over |= end == SLICE_TURN || end == SLICE_STOP || end == SLICE_LEASE_LOST;
    if (end == SLICE_FAILED)
        pass_worse(p, RUN_FAILED, w->error, lasting);
    else if (w->failed)
        pass_worse(p, RUN_PARTIAL, NULL, lasting);
}

/* What goes wrong in one account is on record, and the next has its turn. */
static err do_account(struct ctx *c, struct pass *p, struct uuid account)
{
    struct arena *lasting = c->arena;
    struct slice_work w = {0};
    enum slice_end end = SLICE_DONE;
    err e;

    c->arena = p->account_arena;
    ctx_begin(c, 0);
    e = slice_of(c, p, account, &w, &end);
    if (e == ERR_OK)
        conclude(p, &w, end, lasting);
    else
        pass_worse(p, RUN_FAILED, c->fault.message, lasting);
    c->arena = lasting;
    ctx_begin(c, 0);
    c->now = engine_now(p->e);
    arena_reset(p->account_arena);
    /* the database away: so it is for the next account */
    return e == ERR_OK || db_ping(c) == ERR_OK ? ERR_OK : e;
}

/* ---- all accounts that have something due */

static err find_accounts(struct ctx *c, const struct pass *p, struct uuid above, struct uuid *ids, size_t *n)
{
    if (p->job->due)
        return p->job->due(c, above, ids, PAGE, n);
    return override_store_accounts(c, above, ids, PAGE, n);
}

/* Accounts above `above`, up to and including `last` (nil: all). */
static err do_range(struct ctx *c, struct pass *p, struct uuid above, struct uuid last, struct uuid *ids)
{
    size_t n;

    while (!p->over) {
        TRY(find_accounts(c, p, above, ids, &n));
        if (n == 0)
            return ERR_OK;
        above = ids[n - 1];
        TRY(override_store_filter(c, p->job->name, p->job->flags & JOB_SUSPENDED_TOO, ids, &n));
        for (size_t i = 0; i < n && !p->over; i++) {
            if (!uuid_is_nil(last) && uuid_cmp(ids[i], last) > 0)
                return ERR_OK;
            TRY(do_account(c, p, ids[i]));
            p->hour.above = ids[i];
        }
    }
    return ERR_OK;
}

/* It begins behind the account at which the pass before ran out of time. */
static err do_accounts(struct ctx *c, struct pass *p)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, PAGE), first = p->hour.above, nobody = {0};

    if (p->job->flags & JOB_INSTALLATION)
        return do_account(c, p, nobody);
    TRY(do_range(c, p, first, nobody, ids));
    if (!uuid_is_nil(first))
        TRY(do_range(c, p, nobody, first, ids));
    if (!p->over)
        p->hour.above = nobody;
    return ERR_OK;
}

static void pass_count(const struct pass *p)
{
    struct engine *e = p->e;
    const char *name = p->job->name;

    stat_add(e, STAT_RUNS, name, enumx_name(&run_status_enumx, (int)p->worst), 1);
    stat_add(e, STAT_RUN_SECONDS, name, "", (double)(clock_monotonic_us() - p->began_us) / SECOND_US);
    stat_add(e, STAT_RUN_COUNT, name, "", 1);
    stat_add(e, STAT_ROWS, name, "scanned", (double)p->scanned);
    stat_add(e, STAT_ROWS, name, "changed", (double)p->changed);
    stat_add(e, STAT_ROWS, name, "failed", (double)p->failed);
    if (p->worst == RUN_SUCCEEDED)
        stat_add(e, STAT_LAST_SUCCESS, name, "", (double)(engine_now(e).us / SECOND_US));
}

static err do_pass(struct ctx *c, struct pass *p)
{
    struct instant now = engine_now(p->e);
    err e;

    TRY(open_hour(c, p, now));
    e = do_accounts(c, p);
    if (e == ERR_OK && !p->lost)
        e = close_hour(c, p);
    remember_hour(p);
    if (p->lost)
        return ERR_OK;
    TRY(e);
    return job_store_unlease(c, p->job->name, p->lease.token, p->more ? engine_now(p->e) : (struct instant){0});
}

static err run_pass(struct engine *e, struct ctx *c, const struct due_pass *due, const struct job_row *row,
                    struct uuid token)
{
    struct pass p = {.e = e, .job = due->job, .row = row, .worst = RUN_SUCCEEDED};
    err result;

    p.began_us = clock_monotonic_us();
    p.lease.job_name = due->job->name;
    p.lease.token = token;
    p.lease.lease_s = PASS_LEASE_S;
    p.ends_us = p.began_us + PASS_BOX_S * SECOND_US;
    p.account_arena = request_arena_new();
    p.batch_arena = request_arena_new();
    lease_begin(e, &p.lease);
    atomic_fetch_add(&e->running, 1);
    result = do_pass(c, &p);
    if (result != ERR_OK)
        p.worst = RUN_FAILED;
    atomic_fetch_sub(&e->running, 1);
    lease_end(e, &p.lease);
    arena_free(p.account_arena);
    arena_free(p.batch_arena);
    pass_count(&p);
    return result;
}

err pass_work(struct engine *e, struct ctx *c, bool *did)
{
    struct instant now = engine_now(e), next = {0};
    struct cron_fault why;
    struct due_pass due;
    struct job_row row;
    struct cron cron;
    struct uuid token;
    bool got;

    *did = false;
    if (!pass_take(e, &due))
        return ERR_OK;
    TRY(engine_become(e, c, (struct uuid){0}, arena_printf(c->arena, "job:%s", due.job->name)));
    TRY(job_store_get(c, due.job->name, false, &row, &got));
    if (!got || !cron_parse(row.schedule, now, &cron, &why) || !cron_next(&cron, now, &next))
        return ERR_OK;
    token = uuid_new(now.us);
    row.next_fire_at = due.next_fire_at;
    TRY(job_store_lease(c, &row, now, next, token, (struct instant){now.us + PASS_LEASE_S * SECOND_US}, &got));
    if (!got)
        return ERR_OK;
    *did = true;
    return run_pass(e, c, &due, &row, token);
}
