/* Adding slices up into their runs, ending runs, and finding those that nobody works on any more. */
#include <string.h>

#include "db.h"
#include "engine.h"
#include "fold_store.h"
#include "run_store.h"
#include "stats_store.h"

#define FOLD_US (2 * SECOND_US)
#define SILENCE_US (300 * SECOND_US)
#define RUNS_MAX 50    /* per tick */
#define FEW_SLICES 200 /* of so few the named counts are shown while it runs, too */

struct folding {
    struct engine *e;
    struct instant now;
    struct run run;
    struct fold_sums sums;
    bool found, ended;
    enum run_status status;
};

/* Cancelled if asked for, succeeded if all did, failed if none did anything else, partial in between. */
static enum run_status verdict(const struct run *r, const struct fold_sums *s)
{
    if (r->cancelled || (s->cancelled && s->cancelled == s->slices))
        return RUN_CANCELLED;
    if (s->succeeded == s->slices)
        return RUN_SUCCEEDED;
    return s->failed == s->slices ? RUN_FAILED : RUN_PARTIAL;
}

static err fold_end_run(struct ctx *c, struct folding *f, enum run_status status, const char *reason, const char *error,
                        struct instant at)
{
    f->ended = true;
    f->status = status;
    return run_store_end(c, f->run.id, status, reason, error, at);
}

/* Folding comes up to two seconds behind the work. Without slices the work was to find that nobody has any due. */
static struct instant ended_at(const struct folding *f)
{
    struct instant end = f->sums.slices ? f->sums.last_end : f->run.heartbeat_at;

    return end.us >= f->run.started_at.us ? end : f->now;
}

/* Slices are left: does anybody still work on them? */
static err look_for_life(struct ctx *c, struct folding *f, struct instant *heartbeat)
{
    bool alive;

    TRY(task_store_run_alive(c, f->run.id, &alive));
    if (alive) {
        *heartbeat = f->now;
        return ERR_OK;
    }
    if (f->now.us - f->run.heartbeat_at.us <= SILENCE_US)
        return ERR_OK;
    TRY(fold_store_lose_slices(c, f->run.id, f->now));
    return fold_end_run(c, f, RUN_LOST, "lost", "no worker is left for it", f->now);
}

static err fold_body(struct ctx *c, void *arg)
{
    struct folding *f = arg;
    struct instant heartbeat = {0};
    struct json *counts = NULL, *notes = NULL;
    bool all_ended;

    f->ended = false;
    TRY(fold_store_next(c, (struct instant){f->now.us - FOLD_US}, &f->run, &f->found));
    if (!f->found)
        return ERR_OK;
    TRY(fold_store_sums(c, f->run.id, &f->sums));
    all_ended = f->run.expanded && f->sums.ended == f->sums.slices;
    if (all_ended || f->sums.slices <= FEW_SLICES) {
        TRY(fold_store_named(c, f->run.id, &counts, &notes));
        json_set_int(c->arena, counts, "accounts", f->sums.slices);
    }
    if (all_ended)
        TRY(fold_end_run(c, f, verdict(&f->run, &f->sums), f->sums.reason, f->sums.error, ended_at(f)));
    else
        TRY(look_for_life(c, f, &heartbeat));
    return fold_store_save(c, f->run.id, &f->sums, counts, notes, heartbeat, f->now);
}

static void fold_count(struct engine *e, const struct folding *f)
{
    const struct run *r = &f->run;

    stat_add(e, STAT_RUNS, r->job_name, enumx_name(&run_status_enumx, (int)f->status), 1);
    stat_add(e, STAT_RUN_SECONDS, r->job_name, "", (double)(ended_at(f).us - r->started_at.us) / SECOND_US);
    stat_add(e, STAT_RUN_COUNT, r->job_name, "", 1);
    stat_add(e, STAT_ROWS, r->job_name, "scanned", (double)f->sums.rows_scanned);
    stat_add(e, STAT_ROWS, r->job_name, "changed", (double)f->sums.rows_changed);
    stat_add(e, STAT_ROWS, r->job_name, "failed", (double)f->sums.rows_failed);
    if (f->status == RUN_SUCCEEDED)
        stat_add(e, STAT_LAST_SUCCESS, r->job_name, "", (double)(f->now.us / SECOND_US));
}

/* Slices that found nothing only fill the history; whoever asked for a run wants to see its end, though. */
static err drop_empty(struct ctx *c, const struct run *r)
{
    int64_t n = r->trigger == TRIGGER_MANUAL ? 0 : 5000;

    while (n == 5000)
        TRY(fold_store_drop_empty(c, r->id, &n));
    return ERR_OK;
}

err fold_runs(struct engine *e, struct ctx *c, struct instant now, int64_t *folded)
{
    struct folding f = {.e = e, .now = now, .found = true};

    *folded = 0;
    for (int i = 0; i < RUNS_MAX; i++) {
        TRY(db_tx(c, fold_body, &f));
        if (!f.found)
            break;
        ++*folded;
        if (!f.ended)
            continue;
        fold_count(e, &f);
        TRY(drop_empty(c, &f.run));
    }
    return ERR_OK;
}
