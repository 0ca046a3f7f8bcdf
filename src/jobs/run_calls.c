/* Operations on the history of jobs. */
#include <string.h>

#include "job_scope.h"
#include "job_service.h"
#include "jobs_calls.h"
#include "run_calls.h"

#define TAG .tag = "jobs"
#define SLICES_SHOWN 100

const struct field RUN_OUT[] = {
    F_UUID(struct run_out, id, 0, "id of the run, or of an account's part of it"),
    F_STR(struct run_out, job, 0, 0, 0, "name of the job"),
    F_UUID(struct run_out, account_id, FIELD_NULLABLE, "account whose part it is; null: the whole run"),
    F_UUID(struct run_out, run_id, FIELD_NULLABLE, "run that an account's part belongs to"),
    F_ENUM(struct run_out, trigger, 0, run_trigger, 0, "trigger"),
    F_ENUM(struct run_out, status, 0, run_status, 0, "status"),
    F_STR(struct run_out, reason, FIELD_NULLABLE, 0, 0, "reason: overlap, after_failed, bound, time_box, failed_rows, cancelled"),
    F_STR(struct run_out, error, FIELD_NULLABLE, 0, 0, "first error outside rows"),
    F_TIME(struct run_out, fire_at, 0, "scheduled time of the run"),
    F_TIME(struct run_out, created_at, 0, "when it was created"),
    F_TIME(struct run_out, started_at, FIELD_NULLABLE, "time when it started"),
    F_TIME(struct run_out, finished_at, FIELD_NULLABLE, "time when it ended"),
    F_TIME(struct run_out, heartbeat_at, FIELD_NULLABLE, "time of the last heartbeat"),
    F_INT(struct run_out, missed, 0, 0, 0, 0, "missed runs it stands for"),
    F_BOOL(struct run_out, dry_run, 0, 0, "dry run: nothing was changed"),
    F_INT(struct run_out, scanned, 0, 0, 0, 0, "rows scanned"),
    F_INT(struct run_out, changed, 0, 0, 0, 0, "rows changed"),
    F_INT(struct run_out, failed, 0, 0, 0, 0, "rows that failed"),
    F_INT(struct run_out, skipped, 0, 0, 0, 0, "rows skipped"),
    F_INT(struct run_out, progress_done, 0, 0, 0, 0, "accounts done"),
    F_INT(struct run_out, progress_total, 0, 0, 0, 0, "total number of accounts; 0: this is one account's part"),
    F_OBJECT(struct run_out, counts, 0, 1e9, "further counts by name"),
    F_JSON(struct run_out, notes, 0, 1e9, "first 20 rows that failed {id, error}, or would change {id, would}"),
    F_STR(struct run_out, requested_by, FIELD_NULLABLE, 0, 0, "requested by"),
    F_STR(struct run_out, host, FIELD_NULLABLE, 0, 0, "host of the last worker"),
    F_STR(struct run_out, program, FIELD_NULLABLE, 0, 0, "version of Loci on that host"),
    F_END
};

struct run_out run_out_of(const struct run *r)
{
    return (struct run_out){
        .id = r->id, .job = r->job_name, .account_id = r->account_id, .run_id = r->parent_id, .trigger = r->trigger,
        .status = r->status, .reason = r->reason, .error = r->error, .fire_at = r->fire_at, .created_at = r->created_at,
        .started_at = r->started_at, .finished_at = r->finished_at, .heartbeat_at = r->heartbeat_at, .missed = r->missed,
        .dry_run = r->dry_run, .scanned = r->scanned, .changed = r->changed, .failed = r->failed, .skipped = r->skipped,
        .progress_done = r->progress_done, .progress_total = r->progress_total, .counts = r->counts, .notes = r->notes,
        .requested_by = r->requested_by, .host = r->host, .program = r->version};
}

/* ---- list */

struct list_in {
    const char *job, *cursor;
    int status, trigger, scope;
    struct instant from, to;
    struct uuid run_id;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_STR(struct list_in, job, FIELD_SLUG, 1, LIMIT_JOB_NAME, "only runs of this job"),
    F_ENUM(struct list_in, status, FIELD_NULLABLE, run_status, -1, "only runs with this status"),
    F_ENUM(struct list_in, trigger, FIELD_NULLABLE, run_trigger, -1, "only runs with this trigger"),
    F_TIME(struct list_in, from, FIELD_NULLABLE, "scheduled at this time or later"),
    F_TIME(struct list_in, to, FIELD_NULLABLE, "scheduled before this time"),
    F_UUID(struct list_in, run_id, FIELD_NULLABLE, "the parts of this run, one per account; for operators"),
    F_SCOPE(struct list_in),
    F_PAGE(struct list_in),
    F_END
};

static void encode_page(struct ctx *c, struct page *p)
{
    const struct run *rows = p->items;
    struct run_out *items = ARENA_ARRAY(c->arena, struct run_out, p->n + 1);

    for (size_t i = 0; i < p->n; i++)
        items[i] = run_out_of(&rows[i]);
    p->items = items;
}

static err run_call_list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;
    struct run_query q = {.job = i->job, .status = i->status, .trigger = i->trigger, .from = i->from, .to = i->to,
                          .parent_id = i->run_id, .limit = i->limit, .cursor = i->cursor};

    TRY(job_scope_of(c, uuid_is_nil(i->run_id) ? i->scope : SCOPE_EVERYWHERE, &q.everywhere));
    TRY(run_page(c, &q, out));
    encode_page(c, out);
    return ERR_OK;
}

static const struct op LIST = {
    .name = "job_run.list", .method = "GET", .path = "/api/v1/job_runs", .old_path = "/api/v1/jobs/runs", TAG,
    .summary = "Lists the runs of jobs, newest first.",
    .help = "Accounts see their own parts of runs; operators see whole runs.",
    .perm = PERM_JOBS_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(RUN_OUT, struct run_out), .run = run_call_list,
};

/* ---- get */

struct id_in {
    struct uuid id;
};

static const struct field ID_IN[] = {
    F_UUID(struct id_in, id, FIELD_REQUIRED, "id of the run"),
    F_END
};

struct get_out {
    const struct run_out *run;
    struct list slices;
    struct instant continues_at;
};

static const struct field GET_OUT[] = {
    F_OBJ(struct get_out, run, 0, RUN_OUT, struct run_out, "the run"),
    F_LIST(struct get_out, slices, 0, SLICES_SHOWN, RUN_OUT, struct run_out, "its parts, one per account, at most 100; for operators"),
    F_TIME(struct get_out, continues_at, FIELD_NULLABLE, "time when the remaining work continues; null: nothing remains"),
    F_END
};

static err run_call_add_slices(struct ctx *c, const struct run *run, struct get_out *o)
{
    struct run_query q = {.status = -1, .trigger = -1, .parent_id = run->id, .everywhere = true, .limit = SLICES_SHOWN};
    struct page p;

    TRY(run_page(c, &q, &p));
    encode_page(c, &p);
    o->slices = (struct list){p.items, p.n};
    return ERR_OK;
}

static bool was_cut_short(const struct run *r)
{
    return r->status == RUN_PARTIAL && r->reason && (strcmp(r->reason, "bound") == 0 || strcmp(r->reason, "time_box") == 0);
}

static err run_call_get(struct ctx *c, const void *in, void *out)
{
    struct get_out *o = out;
    struct run_out *shown = ARENA_NEW(c->arena, struct run_out);
    struct job_view view;
    bool everywhere;
    struct run run;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(run_get(c, ((const struct id_in *)in)->id, everywhere, &run));
    *shown = run_out_of(&run);
    *o = (struct get_out){.run = shown};
    if (everywhere && uuid_is_nil(run.parent_id))
        TRY(run_call_add_slices(c, &run, o));
    if (!was_cut_short(&run))
        return ERR_OK;
    TRY(job_view_get(c, run.job_name, everywhere, &view));
    o->continues_at = view.row.next_fire_at;
    return ERR_OK;
}

static const struct op GET = {
    .name = "job_run.get", .method = "GET", .path = "/api/v1/job_runs/:id", .old_path = "/api/v1/jobs/runs/:id",
    .tool = "get_job_run", TAG,
    .summary = "Returns one run of a job: counts, errors and when it continues.",
    .perm = PERM_JOBS_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
    OP_IN(ID_IN, struct id_in), OP_OUT(GET_OUT, struct get_out), .run = run_call_get,
};

/* ---- cancel */

static err run_call_cancel(struct ctx *c, const void *in, void *out)
{
    struct uuid id = ((const struct id_in *)in)->id;
    struct instant now;
    bool everywhere;
    struct run run;

    TRY(job_scope_of(c, -1, &everywhere));
    TRY(jobs_now(c, &now));
    TRY(run_cancel(c, id, everywhere, now));
    TRY(run_get(c, id, everywhere, &run));
    *(struct run_out *)out = run_out_of(&run);
    return ERR_OK;
}

static const struct op CANCEL = {
    .name = "job_run.cancel", .method = "POST", .path = "/api/v1/job_runs/:id/cancel", .old_path = "/api/v1/jobs/runs/:id/cancel", TAG,
    .summary = "Cancels a run.",
    .help = "It stops at the next batch, within a second; completed work stays.",
    .perm = PERM_JOBS_RUN, .flags = OP_DESTRUCTIVE,
    OP_IN(ID_IN, struct id_in), OP_OUT(RUN_OUT, struct run_out), .run = run_call_cancel,
};

const struct op *const run_calls_table[] = {&LIST, &GET, &CANCEL, NULL};
