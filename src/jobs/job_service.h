/* What people do with jobs: look, run, pause, change; for calls, pages and locictl. */
#ifndef LOCI_JOB_SERVICE_H
#define LOCI_JOB_SERVICE_H

#include "page.h"
#include "run.h"

/* At the start of a scheduler: jobs that are new are put on the timetable, those that are there follow the code in what
 * no operator has changed. */
err jobs_declare(struct ctx *c, struct instant now);
/* The database's clock. */
err jobs_now(struct ctx *c, struct instant *now);

/* ---- looking */

#define NEXT_FIRINGS 5

struct job_view {
    struct job_row row;
    const struct job *job;        /* as declared; NULL: another program's */
    struct job_override override; /* of the caller's account */
    struct instant next[NEXT_FIRINGS];
    size_t n_next;
    bool has_run;
    struct run last;            /* everywhere: of all; else the account's own slice */
    struct run_average average; /* of 30 days */
};
/* everywhere: as operators see it. */
err job_view_list(struct ctx *c, bool everywhere, struct job_view **out, size_t *n);
err job_view_get(struct ctx *c, const char *name, bool everywhere, struct job_view *out);

/* The last few runs of each job of a timetable, in one question: run_recent_of() picks a job's, newest first. */
struct run_recent {
    struct run *runs;
    size_t n;
};
err run_recent(struct ctx *c, const struct job_view *views, size_t n, bool everywhere, int64_t each, struct run_recent *out);
const struct run *run_recent_of(const struct run_recent *r, const char *job, size_t *n);

struct run_query {
    const char *job;     /* NULL: any */
    int status, trigger; /* -1: any */
    struct instant from, to;
    struct uuid parent_id; /* operators: the slices of a run */
    bool everywhere;
    int64_t limit;
    const char *cursor;
};
/* Newest first; items are struct run. */
err run_page(struct ctx *c, const struct run_query *q, struct page *out);
/* A run of all is seen by operators only; a slice, or a run of one account, by that account, too. */
err run_get(struct ctx *c, struct uuid id, bool everywhere, struct run *out);

/* The next firings, at most max; ERR_INVALID naming /cron and the position of the fault. */
err cron_preview(struct ctx *c, const char *cron, struct instant now, struct instant *out, size_t max, size_t *n);

/* ---- doing; each writes its audit event */

struct run_request {
    const char *job;
    bool dry_run, everywhere;  /* everywhere: all accounts (operators); else the caller's */
    const struct json *params; /* NULL: none */
};
/* *id is what the caller can look at: the run, or the account's slice. ERR_CONFLICT while one is under way. */
err job_run_request(struct ctx *c, const struct run_request *r, struct instant now, struct uuid *id);
/* Between two batches, within a second. */
err run_cancel(struct ctx *c, struct uuid id, bool everywhere, struct instant now);

/* everywhere: the job itself; else the account's override. A run under way goes on to its end. */
err job_pause(struct ctx *c, const char *name, bool everywhere, const char *reason, struct instant now);
/* The next regular firing is the first; nothing of the pause is made up for. */
err job_resume(struct ctx *c, const char *name, bool everywhere, struct instant now);

#define OVERRIDE_SET_ENABLED 1u
#define OVERRIDE_SET_PARAMS 2u
struct override_patch {
    unsigned set;
    bool enabled;
    const struct json *params; /* instead of those before */
    const char *reason;
    int64_t if_version; /* 0: not said */
};
err job_override_put(struct ctx *c, const char *name, const struct override_patch *p, struct instant now,
                     struct job_override *out);

#define JOB_SET_SCHEDULE 1u
#define JOB_SET_ENABLED 2u
#define JOB_SET_CATCHUP 4u
#define JOB_SET_OVERLAP 8u
#define JOB_SET_TIME_BOX 16u
#define JOB_SET_SLICE_BOX 32u
#define JOB_SET_PARAMS 64u
struct job_patch {
    unsigned set;
    int64_t if_version;
    const char *schedule, *time_zone; /* time_zone: NULL or UTC */
    bool enabled;
    enum job_catchup catchup;
    enum job_overlap overlap;
    int64_t time_box_s, slice_box_s;
    const struct json *params;
};
/* Operators only: the caller checks. */
err job_update(struct ctx *c, const char *name, const struct job_patch *p, struct instant now);

#endif
