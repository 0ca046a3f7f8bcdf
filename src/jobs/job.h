/* What a room declares as a job, and what its functions are given: cron and queue do the rest. */
#ifndef LOCI_JOB_H
#define LOCI_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "str.h"
#include "task.h"

#define RUN_STATUS(X) \
    X(RUN_WAITING, "waiting") X(RUN_RUNNING, "running") X(RUN_SUCCEEDED, "succeeded") X(RUN_PARTIAL, "partial") \
    X(RUN_FAILED, "failed") X(RUN_SKIPPED, "skipped") X(RUN_CANCELLED, "cancelled") X(RUN_LOST, "lost")
ENUMX_DECLARE(run_status, RUN_STATUS);

#define RUN_TRIGGER(X) X(TRIGGER_CRON, "cron") X(TRIGGER_CATCHUP, "catchup") X(TRIGGER_MANUAL, "manual")
ENUMX_DECLARE(run_trigger, RUN_TRIGGER);

#define JOB_CATCHUP(X) X(CATCHUP_ONCE, "once") X(CATCHUP_SKIP, "skip") X(CATCHUP_ALL, "all")
ENUMX_DECLARE(job_catchup, JOB_CATCHUP);

#define JOB_OVERLAP(X) X(OVERLAP_SKIP, "skip") X(OVERLAP_QUEUE, "queue")
ENUMX_DECLARE(job_overlap, JOB_OVERLAP);

#define AFTER_POLICY(X) X(AFTER_ANY, "any") X(AFTER_SUCCESS, "success")
ENUMX_DECLARE(after_policy, AFTER_POLICY);

#define LIMIT_JOB_NAME 64
#define LIMIT_REASON 500
#define LIMIT_RUN_ERROR 2000
#define LIMIT_NOTES 20 /* failed or would-be rows kept by name, per slice */
#define LIMIT_CURSOR_BYTES 255

#define TIME_BOX_S 3600 /* of a run, unless it says otherwise */
#define SLICE_BOX_S 120 /* of one turn of an account */
#define PASS_BOX_S 60   /* of one firing of a continuous job */
#define JOB_BATCH 500

/* A number or a yes/no that operators and accounts may set; checked against its range wherever it comes in. */
enum param_type { PARAM_INT, PARAM_NUM, PARAM_BOOL };
struct job_param {
    const char *name; /* NULL ends the table */
    enum param_type type;
    double min, max, otherwise;
    const char *help;
};

/* One account's part of a run, batch by batch. What a batch sets here is kept only if its transaction commits. */
struct slice {
    const struct job *job;
    struct uuid account_id; /* c->account_id; nil: a job of the whole installation */
    struct uuid run_id;
    bool dry;      /* count, change nothing; the batch is rolled back in any case */
    int64_t limit; /* rows this batch may take */
    /* Where the job stands in this account (only for jobs with a select, or with JOB_STATE). */
    struct bytes cursor; /* p NULL: from the beginning; cleared when nothing is left */
    struct instant watermark;
    const struct json *extra; /* an object */
    /* What this batch did; zero at its beginning. */
    int64_t scanned, changed, failed, skipped;
    int64_t scanned_told, changed_told; /* of these: in the run's row already (slice_count_now) */
    bool more;                          /* step: there may be further rows */
    struct slice_work *work;            /* the engine's */
};

/* A row that select found. */
struct slice_row {
    struct bytes cursor; /* select goes on behind this */
    const char *id;      /* named when the row fails */
    void *data;
};

#define JOB_OFF 1u           /* switched off until an operator switches it on */
#define JOB_SUSPENDED_TOO 2u /* suspended accounts are not left out */
#define JOB_ESSENTIAL 4u     /* cannot be paused or switched off */
#define JOB_INSTALLATION 8u  /* not per account: one slice, whose account is nil */
#define JOB_STATE 16u        /* a step that uses cursor, watermark or extra */
#define JOB_OUTSIDE 64u      /* a step on something else than the database: it runs before the transaction */
#define JOB_DRY_RUN 32u      /* can be tried without a change; required of whatever changes memory */

/* Declared `static const`, exported by its room, and listed in src/jobs_list.c. */
struct job {
    const char *name, *description, *schedule;
    const char *after; /* waits for that job's run of the same day */
    enum after_policy after_policy;
    enum job_catchup catchup;
    enum job_overlap overlap;
    int time_box_s, slice_box_s; /* 0: TIME_BOX_S, SLICE_BOX_S */
    int64_t bound;               /* rows scanned per account and run; 0: none */
    int64_t batch;               /* rows per transaction; 0: JOB_BATCH */
    unsigned flags;
    const struct job_param *params; /* NULL: none */
    /* Accounts with an id above `above` that have something due, ascending, at most max: one index scan, however many
     * rows. NULL: every account. */
    err (*due)(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
    /* Either functions that do a batch of at most s->limit rows each inside the transaction they find open (see JOB_OUTSIDE), an
     * error of which fails the slice; they add to the counts. All that deletes is in purge, which is not called for accounts under
     * legal hold; step may be NULL then … */
    err (*step)(struct ctx *c, struct slice *s);
    err (*purge)(struct ctx *c, struct slice *s);
    /* … or a selection behind s->cursor in key order, and what is done to the rows found: a batch that fails is halved
     * down to the row, which is counted as failed, named and passed over. */
    err (*select)(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n);
    err (*apply)(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n);
};

/* Adds to a count of the run that has a name of its own; name: a literal. */
void slice_count(struct slice *s, const char *name, int64_t n);
/* A cursor that is an id: behind which one it stands (nil: from the beginning), and to go on behind this one. */
struct uuid slice_behind(const struct slice *s);
void slice_go_on(struct ctx *c, struct slice *s, struct uuid id);
/* A row whose cursor and name are its id, which stays where it is. */
struct slice_row slice_row_of(struct ctx *c, const struct uuid *id, void *data);
/* One batch of what deletes or changes at most so many rows: they are scanned, changed and counted by that name. As many as were
 * allowed: there are more. */
err slice_batch(struct ctx *c, struct slice *s, err (*run)(struct ctx *c, int64_t limit, int64_t *n), const char *name);
/* JOB_OUTSIDE, for steps whose changes have transactions of their own: inside one of these, at its end. It is counted as changed, as
 * so many scanned, and by that name when the transaction commits: a process killed between two of them leaves sums that are right.
 * When it has, the caller adds it to scanned and changed, and to those told. ERR_CONFLICT: somebody else works on it now. */
err slice_count_now(struct ctx *c, struct slice *s, int64_t scanned, const char *name);
/* Dry runs: names a row that would change, and how; the first 20 are kept. */
void slice_would(struct slice *s, const char *id, const char *what);
/* A step that does its rows one by one: this one is counted as failed, named with why, and passed over. */
void slice_failed(struct slice *s, const char *id, const char *why);
/* The parameter as this run has it: of the run, else of the account, the job, the declaration. Yes is 1, no 0. */
double slice_param(const struct slice *s, const char *name);

/* Accounts above `above`, ascending: for a job of the installation that goes over them itself. */
err job_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

/* All jobs and kinds of task of this program (struct app.jobs). */
struct job_list {
    const struct job *const *jobs;
    size_t n_jobs;
    const struct task_kind *const *kinds;
    size_t n_kinds;
};
const struct job *job_find(const struct job_list *list, const char *name); /* NULL: no such job */
const struct task_kind *task_kind_find(const struct job_list *list, const char *name);

bool job_is_continuous(const char *schedule); /* @every */

/* NULL when params (may be NULL) holds only declared names with values in range; else what is wrong, in the arena. */
const char *job_params_fault(struct arena *a, const struct job *job, const struct json *params);

/* What the tables know, as Prometheus text: for /metrics. Nothing when the database is away. */
void jobs_metrics(struct ctx *c, struct buf *out);

#endif
