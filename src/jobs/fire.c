/* Firing what is due on the timetable, and starting runs whose turn has come. */
#include <string.h>

#include "app.h"
#include "cron.h"
#include "db.h"
#include "engine.h"
#include "log.h"
#include "run_store.h"
#include "stats_store.h"

#define GRACE_US (60 * SECOND_US) /* a firing this late is not a missed one */
#define CATCHUP_ALL_MAX 31
#define CLAIMS_MAX 200 /* per tick: more than there are jobs */
#define AFTER_WAIT_US (3600 * SECOND_US)
#define LINE_UP_US (60 * SECOND_US) /* catch-ups wait this long for the others to be claimed */

/* ---- firings that are due */

struct due {
    int64_t n;
    struct instant last[CATCHUP_ALL_MAX]; /* a ring; n counts on */
    struct instant latest, next;          /* next 0: none within the horizon */
};

static void find_due(const struct cron *cron, struct instant first, struct instant now, struct due *d)
{
    struct instant t = first;
    bool more = true;

    *d = (struct due){0};
    while (more && t.us <= now.us) {
        d->last[d->n++ % CATCHUP_ALL_MAX] = d->latest = t;
        more = cron_next(cron, t, &t);
    }
    if (more)
        d->next = t;
}

struct firing {
    struct engine *e;
    struct instant now;
    bool found;
    const char *skipped; /* name of a job that was, for the counters */
};

/* While the run before still goes, this one is skipped, or waits if none does; runs made up in order always wait. */
static err add_run(struct ctx *c, struct firing *f, const struct job_row *row, struct instant fire_at,
                   enum run_trigger trigger, int64_t missed, bool in_line)
{
    struct run r = {.id = uuid_new(f->now.us), .job_name = row->name, .trigger = trigger, .fire_at = fire_at,
                    .missed = missed, .status = RUN_WAITING, .created_at = f->now};
    int64_t waiting, running;
    bool made;

    TRY(run_store_open_of(c, row->name, &waiting, &running));
    if (!in_line && waiting + running > 0 && (row->overlap == OVERLAP_SKIP || waiting > 0)) {
        r.status = RUN_SKIPPED;
        r.reason = "overlap";
        r.finished_at = f->now;
    }
    TRY(run_store_insert(c, &r, NULL, &made));
    if (made && r.status == RUN_SKIPPED)
        f->skipped = row->name;
    return ERR_OK;
}

static err fire_add_runs(struct ctx *c, struct firing *f, const struct job_row *row, const struct due *d)
{
    bool late = f->now.us - d->latest.us > GRACE_US;

    if (d->n == 1 && !late)
        return add_run(c, f, row, d->latest, TRIGGER_CRON, 0, false);
    switch (row->catchup) {
    case CATCHUP_ONCE: return add_run(c, f, row, d->latest, TRIGGER_CATCHUP, d->n, false);
    case CATCHUP_SKIP: return late ? ERR_OK : add_run(c, f, row, d->latest, TRIGGER_CRON, 0, false);
    case CATCHUP_ALL:
        for (int64_t i = d->n > CATCHUP_ALL_MAX ? d->n - CATCHUP_ALL_MAX : 0; i < d->n; i++)
            TRY(add_run(c, f, row, d->last[i % CATCHUP_ALL_MAX], TRIGGER_CATCHUP, 1, true));
    }
    return ERR_OK;
}

static err fire_body(struct ctx *c, void *arg)
{
    struct firing *f = arg;
    struct cron_fault why;
    struct job_row row;
    struct cron cron;
    struct due d;

    f->skipped = NULL;
    TRY(job_store_claim(c, f->e->list, f->now, &row, &f->found));
    if (!f->found)
        return ERR_OK;
    if (!cron_parse(row.schedule, f->now, &cron, &why)) {
        log_say(c->app->log, LOG_ERROR, "job %s: its schedule cannot be read (%s); it will not fire", row.name,
                why.message);
        return job_store_fired(c, row.name, (struct instant){0}, row.last_fire_at);
    }
    find_due(&cron, row.next_fire_at, f->now, &d);
    TRY(fire_add_runs(c, f, &row, &d));
    return job_store_fired(c, row.name, d.next, d.latest);
}

err fire_due(struct engine *e, struct ctx *c, struct instant now)
{
    struct firing f = {.e = e, .now = now, .found = true};

    for (int i = 0; i < CLAIMS_MAX && f.found; i++) {
        err result = db_tx(c, fire_body, &f);

        if (result == ERR_CONFLICT) { /* another scheduler was quicker */
            ctx_forgive(c);
            continue;
        }
        TRY(result);
        if (f.skipped)
            stat_add(e, STAT_RUNS, f.skipped, "skipped", 1);
    }
    return ERR_OK;
}

/* ---- runs that wait for their turn */

enum verdict { GO, WAIT, SKIP };

struct judgement {
    enum verdict verdict;
    const char *reason;
};

#define SAY(v, why) ((struct judgement){(v), (why)})

/* The job waited for has not begun its run of the day. */
static err judge_absent(struct ctx *c, const struct run *r, const struct job_row *row, struct judgement *out)
{
    struct instant day = {r->fire_at.us / DAY_US * DAY_US - 1}, first;
    struct job_row before;
    struct cron_fault why;
    struct cron cron;
    bool found;

    *out = SAY(GO, NULL);
    TRY(job_store_get(c, row->after, false, &before, &found));
    if (!found)
        return ERR_OK;
    if (before.enabled && !before.paused_at.us) {
        if (before.next_fire_at.us && before.next_fire_at.us <= r->fire_at.us)
            *out = SAY(WAIT, NULL); /* it is about to */
        return ERR_OK;
    }
    if (row->after_policy == AFTER_SUCCESS && cron_parse(before.schedule, day, &cron, &why) &&
        cron_next(&cron, day, &first) && first.us <= r->fire_at.us)
        *out = SAY(SKIP, "after_failed"); /* it should have run today, and was held back */
    return ERR_OK;
}

static err judge_after(struct ctx *c, const struct run *r, const struct job_row *row, struct instant now,
                       struct judgement *out)
{
    bool found, success = row->after_policy == AFTER_SUCCESS;
    enum run_status status;

    TRY(run_store_of_day(c, row->after, r->fire_at, &status, &found));
    if (!found)
        TRY(judge_absent(c, r, row, out));
    else if (!run_has_ended(status))
        *out = SAY(WAIT, NULL);
    else if (success && status != RUN_SUCCEEDED && status != RUN_PARTIAL)
        *out = SAY(SKIP, "after_failed");
    else
        *out = SAY(GO, NULL);
    if (out->verdict == WAIT && now.us - r->created_at.us > AFTER_WAIT_US)
        *out = success ? SAY(SKIP, "after_timeout") : SAY(GO, NULL);
    return ERR_OK;
}

static err judge_run(struct engine *e, struct ctx *c, const struct run *r, struct instant now, struct judgement *out)
{
    struct job_row row;
    int64_t waiting, running;
    bool found, due = false;

    *out = SAY(GO, NULL);
    TRY(job_store_get(c, r->job_name, false, &row, &found));
    if (!found || !job_find(e->list, r->job_name)) {
        *out = SAY(WAIT, NULL); /* another program's */
        return ERR_OK;
    }
    if (r->trigger == TRIGGER_MANUAL)
        return ERR_OK;
    TRY(run_store_open_of(c, r->job_name, &waiting, &running));
    if (r->trigger == TRIGGER_CATCHUP && now.us - r->created_at.us < LINE_UP_US)
        TRY(job_store_has_due(c, e->list, now, &due));
    if (running || due)
        *out = SAY(WAIT, NULL);
    else if (row.after)
        return judge_after(c, r, &row, now, out);
    return ERR_OK;
}

struct starting {
    const struct run *run;
    struct instant now;
};

static err fire_start_body(struct ctx *c, void *arg)
{
    struct starting *s = arg;
    const struct run *r = s->run;
    const char *guard = r->trigger == TRIGGER_MANUAL ? arena_printf(c->arena, "%s/manual", r->job_name) : r->job_name;
    bool started;

    TRY(run_store_start(c, r->id, guard, s->now, &started));
    return started ? run_launch(c, r, s->now) : ERR_OK;
}

/* Runs of one job go in order: when one has to wait, so do those behind it. */
static bool is_behind(const struct run *runs, const bool *waits, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (waits[k] && strcmp(runs[k].job_name, runs[i].job_name) == 0)
            return true;
    return false;
}

err start_waiting(struct engine *e, struct ctx *c, struct instant now)
{
    struct run *runs;
    bool *waits;
    size_t n;

    TRY(run_store_waiting(c, &runs, &n));
    waits = ARENA_ARRAY(c->arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct starting s = {&runs[i], now};
        struct judgement j;

        waits[i] = runs[i].trigger != TRIGGER_MANUAL && is_behind(runs, waits, i);
        if (waits[i])
            continue;
        TRY(judge_run(e, c, &runs[i], now, &j));
        waits[i] = j.verdict == WAIT;
        if (j.verdict == GO) {
            TRY(db_tx(c, fire_start_body, &s));
        } else if (j.verdict == SKIP) {
            TRY(run_store_end(c, runs[i].id, RUN_SKIPPED, j.reason, NULL, now));
            stat_add(e, STAT_RUNS, runs[i].job_name, "skipped", 1);
        }
    }
    return ERR_OK;
}
