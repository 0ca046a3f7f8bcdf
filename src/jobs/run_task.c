/* The two tasks that carry a run: one finds its accounts, one works through an account. */
#include <assert.h>
#include <string.h>

#include "app.h"
#include "db.h"
#include "jobs_own.h"
#include "outbox.h"
#include "run_store.h"
#include "slice.h"
#include "stats_store.h"

#define PAGE 1000       /* accounts a statement */
#define FEW_ACCOUNTS 50 /* what is asked for of so few is soon done */
#define ASKED_TURN_S 10 /* of a slice that may be on a thread kept for urgent work */

/* ---- promising them */

/* An operator's run of many accounts is a backlog itself: it goes before the timetable's, not before everything. */
static int priority_of_slices(const struct run *parent, size_t n)
{
    if (parent->trigger != TRIGGER_MANUAL)
        return 0;
    return n <= FEW_ACCOUNTS ? TASK_ASKED : TASK_ASKED_LONG;
}

err run_launch(struct ctx *c, const struct run *r, struct instant now)
{
    char key[UUID_TEXT];
    struct task_new t = {.kind = run_kind.name, .idem_key = uuid_text(r->id, key), .lane = r->job_name, .run_id = r->id,
                         .priority = r->trigger == TRIGGER_MANUAL ? TASK_ASKED : 0};
    struct uuid id = uuid_new(now.us);
    bool full;

    return task_store_add(c, &run_kind, &t, &id, 1, now, &full);
}

err slice_launch(struct ctx *c, const struct run *parent, const struct uuid *accounts, const struct uuid *ids, size_t n,
                 struct instant now)
{
    struct task_new *t = ARENA_ARRAY(c->arena, struct task_new, n + 1);
    struct uuid *task_ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    char *key = arena_alloc(c->arena, UUID_TEXT);
    bool full;

    uuid_text(parent->id, key);
    for (size_t i = 0; i < n; i++) {
        t[i] = (struct task_new){.kind = slice_kind.name, .account_id = accounts[i], .idem_key = key,
                                 .lane = parent->job_name, .run_id = ids[i], .priority = priority_of_slices(parent, n)};
        task_ids[i] = uuid_new(now.us);
    }
    TRY(task_store_add(c, &slice_kind, t, task_ids, n, now, &full));
    return full ? fail(c, ERR_RATE, "the queue of slices is full") : ERR_OK;
}

/* ---- a run: one slice for each account that has something due */

struct page {
    struct engine *e;
    const struct run *run;
    struct uuid *accounts, *ids;
    size_t n;
};

static err page_body(struct ctx *c, void *arg)
{
    struct page *p = arg;
    struct instant now = engine_now(p->e);

    TRY(run_store_add_slices(c, p->run, p->accounts, p->ids, p->n, now));
    return slice_launch(c, p->run, p->accounts, p->ids, p->n, now);
}

static err add_page(struct engine *e, struct ctx *c, const struct run *run, struct uuid *accounts, size_t n)
{
    struct page p = {e, run, accounts, ARENA_ARRAY(c->arena, struct uuid, n + 1), n};

    for (size_t i = 0; i < n; i++)
        p.ids[i] = uuid_new(engine_now(e).us);
    return n ? db_tx(c, page_body, &p) : ERR_OK;
}

static err run_task_add_slices(struct engine *e, struct ctx *c, const struct task_work *w, const struct job *job,
                               const struct run *run)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, PAGE), above;
    size_t n;

    /* An earlier try may have come to some account: accounts are taken in order, a page in a transaction. */
    TRY(run_store_last_account(c, run->id, &above));
    if (job->flags & JOB_INSTALLATION) /* a second time: the slice stays, its task finds nothing to do */
        return add_page(e, c, run, (struct uuid[]){{{0}}}, 1);
    for (;;) {
        if (task_should_stop(w))
            return fail(c, ERR_UNAVAILABLE, "the scheduler is stopping");
        if (job->due)
            TRY(job->due(c, above, ids, PAGE, &n));
        else
            TRY(override_store_accounts(c, above, ids, PAGE, &n));
        if (n == 0)
            return ERR_OK;
        above = ids[n - 1];
        TRY(override_store_filter(c, run->job_name, job->flags & JOB_SUSPENDED_TOO, ids, &n));
        TRY(add_page(e, c, run, ids, n));
    }
}

static err find_job(struct ctx *c, const char *name, const struct job **out)
{
    *out = job_find(c->app->jobs, name);
    return *out ? ERR_OK : fail(c, ERR_UNAVAILABLE, "unknown job '%s'", name);
}

static err work_run(struct ctx *c, struct task_work *w)
{
    const struct job *job;
    struct run run;
    bool found;

    TRY(engine_become(w->engine, c, (struct uuid){0}, "scheduler"));
    TRY(run_store_get(c, w->tasks[0].run_id, &run, &found));
    if (!found || run.status != RUN_RUNNING || run.expanded)
        return ERR_OK;
    if (!run.cancelled) {
        TRY(find_job(c, run.job_name, &job));
        TRY(run_task_add_slices(w->engine, c, w, job, &run));
    }
    return run_store_expanded(c, run.id, engine_now(w->engine));
}

static err run_died(struct ctx *c, const struct task *t, const char *why)
{
    return run_store_end(c, t->run_id, RUN_FAILED, "task_dead", why, c->now);
}

const struct task_kind run_kind = {
    .name = "run", .priority = 4, .lease_s = 120, .max_attempts = 5, .parallel = 0, .batch = 1,
    .flags = TASK_FORGET | TASK_OWN_NAME, .run = work_run, .died = run_died,
};

/* ---- a slice */

struct ending {
    struct task_work *w;
    const struct run *slice, *parent;
    enum run_status status;
    const char *reason, *error;
};

static err end_body(struct ctx *c, void *arg)
{
    struct ending *x = arg;

    TRY(run_store_end(c, x->slice->id, x->status, x->reason, x->error, engine_now(x->w->engine)));
    if (!uuid_is_nil(x->parent->only_account))
        TRY(run_store_let_go(c, x->parent->id));
    if (!uuid_is_nil(x->slice->account_id)) {
        struct json *payload = json_obj(c->arena);

        json_set_str(c->arena, payload, "job", x->slice->job_name);
        json_set_str(c->arena, payload, "status", enumx_name(&run_status_enumx, (int)x->status));
        TRY(outbox_add(c, "job.ended", x->slice->id, (struct uuid){0}, payload));
        if (x->status == RUN_FAILED)
            TRY(outbox_add(c, "job.failed", x->slice->id, (struct uuid){0}, payload));
    }
    return task_finish_in_tx(c, x->w);
}

static err end_slice(struct ctx *c, struct ending x)
{
    err e = db_tx(c, end_body, &x);

    if (e != ERR_OK)
        x.w->outcome = TASK_BY_RESULT; /* it was not committed */
    return e;
}

/* Parameters of this run over those of the account over those of the job. */
static err merged_params(struct ctx *c, const struct job_row *row, const struct run *parent, const struct json **out)
{
    struct job_override o;

    TRY(override_store_get(c, row->name, &o));
    *out = json_merge_patch(c->arena, row->params, o.params);
    if (parent->params)
        *out = json_merge_patch(c->arena, *out, parent->params);
    return ERR_OK;
}

static err loop(struct ctx *c, struct task_work *w, struct slice_work *sw, const struct run *slice,
                const struct run *parent)
{
    const char *reason;
    enum slice_end end;
    enum run_status status;
    err e;

    TRY(slice_open(c, sw));
    sw->batch_arena = request_arena_new();
    e = slice_loop(c, sw, &end);
    arena_free(sw->batch_arena);
    TRY(e);
    if (end == SLICE_LEASE_LOST) {
        atomic_store(&w->lease->lost, true);
        return ERR_OK;
    }
    if (end == SLICE_STOP)
        return fail(c, ERR_UNAVAILABLE, "the scheduler is stopping");
    if (end == SLICE_TURN) {
        w->outcome = TASK_BEHIND;
        return ERR_OK;
    }
    status = slice_status(sw, end, &reason);
    return end_slice(c, (struct ending){w, slice, parent, status, reason, sw->error});
}

/* What a dry run has seen is lost with its turn, so it keeps all of it. */
static int64_t turn_us(const struct job_row *row, const struct run *slice)
{
    bool is_short = slice->trigger == TRIGGER_MANUAL && !slice->dry_run && row->slice_box_s > ASKED_TURN_S;

    return (is_short ? ASKED_TURN_S : row->slice_box_s) * SECOND_US;
}

static err work_slice(struct ctx *c, struct task_work *w)
{
    struct engine *e = w->engine;
    struct run slice, parent;
    struct slice_work sw = {.engine = e, .lease = w->lease, .task_id = w->tasks[0].id};
    struct job_row row;
    bool found, has_parent = false, has_row = false;

    TRY(run_store_get(c, w->tasks[0].run_id, &slice, &found));
    if (found)
        TRY(run_store_get(c, slice.parent_id, &parent, &has_parent));
    if (!has_parent || run_has_ended(slice.status))
        return ERR_OK;
    TRY(find_job(c, slice.job_name, &sw.s.job));
    TRY(job_store_get(c, slice.job_name, false, &row, &has_row));
    if (!has_row)
        return fail(c, ERR_NOT_FOUND, "the job '%s' no longer exists", slice.job_name);
    TRY(engine_become(e, c, slice.account_id, arena_printf(c->arena, "job:%s", slice.job_name)));
    if (slice.cancelled || parent.cancelled)
        return end_slice(c, (struct ending){w, &slice, &parent, RUN_CANCELLED, "cancelled", NULL});
    sw.run_ends_at.us = parent.started_at.us + row.time_box_s * SECOND_US;
    if (engine_now(e).us >= sw.run_ends_at.us)
        return end_slice(c, (struct ending){w, &slice, &parent, RUN_PARTIAL, "time_box", NULL});
    TRY(run_store_begin_slice(c, slice.id, engine_now(e)));
    TRY(merged_params(c, &row, &parent, &sw.params));
    sw.run_row = sw.s.run_id = slice.id;
    sw.s.account_id = slice.account_id;
    sw.s.dry = slice.dry_run;
    sw.turn_ends_us = clock_monotonic_us() + turn_us(&row, &slice);
    if (!slice.dry_run) { /* a dry run has left nothing behind, and begins anew */
        sw.scanned = slice.scanned;
        sw.changed = slice.changed;
        sw.failed = slice.failed;
        sw.n_notes = slice.notes->len;
    }
    return loop(c, w, &sw, &slice, &parent);
}

static err slice_died(struct ctx *c, const struct task *t, const char *why)
{
    return run_store_end(c, t->run_id, RUN_FAILED, "task_dead", why, c->now);
}

const struct task_kind slice_kind = {
    .name = "slice", .priority = 5, .lease_s = 120, .max_attempts = 5, .parallel = 0, .batch = 1,
    .flags = TASK_FORGET | TASK_OWN_NAME, .run = work_slice, .died = slice_died,
};
