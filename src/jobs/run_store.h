/* SQL of the table job_run: runs and their slices. */
#ifndef LOCI_RUN_STORE_H
#define LOCI_RUN_STORE_H

#include "run.h"

/* ---- beginning */

/* *made: false when the same firing, or another run that is under way, has its place (guard NULL: no such claim). */
err run_store_insert(struct ctx *c, const struct run *r, const char *guard, bool *made);
/* Waiting to running. *started: false when the guard is held by another run, or it no longer waits. */
err run_store_start(struct ctx *c, struct uuid id, const char *guard, struct instant now, bool *started);
/* One slice for each account, waiting; those that are there already stay. */
err run_store_add_slices(struct ctx *c, const struct run *parent, const struct uuid *accounts, const struct uuid *ids,
                         size_t n, struct instant now);
/* The highest account that has a slice of the run; nil: none has. */
err run_store_last_account(struct ctx *c, struct uuid parent_id, struct uuid *out);
err run_store_expanded(struct ctx *c, struct uuid id, struct instant now);
/* The row of a continuous job for a clock hour. */
err run_store_hour(struct ctx *c, const struct run *r, struct uuid *id);

/* ---- working */

err run_store_get(struct ctx *c, struct uuid id, struct run *out, bool *found);
err run_store_begin_slice(struct ctx *c, struct uuid id, struct instant now);
/* Adds what a batch did; inside its transaction. */
err run_store_add(struct ctx *c, struct uuid id, const struct run_delta *d, struct instant now);
err run_store_end(struct ctx *c, struct uuid id, enum run_status status, const char *reason, const char *error,
                  struct instant now);
/* The only slice of a run has ended: another may be asked for at once, before this one is folded. */
err run_store_let_go(struct ctx *c, struct uuid parent_id);
/* A continuous job's row never gets better within its hour: failed beats partial beats succeeded. */
err run_store_worsen(struct ctx *c, struct uuid id, enum run_status status, const char *error, struct instant now);

struct run_questions {
    bool cancelled; /* the slice or its run */
    struct instant run_started_at;
};
err run_store_ask(struct ctx *c, struct uuid slice_id, struct run_questions *out);

/* ---- looking */

/* Runs of the whole timetable (no dry runs, no single accounts) that have not ended. */
err run_store_open_of(struct ctx *c, const char *job_name, int64_t *waiting, int64_t *running);
/* Waiting runs: catch-ups by their times of day, then the others as they fired. */
err run_store_waiting(struct ctx *c, struct run **out, size_t *n);
/* The job's scheduled run of that UTC day, the latest up to that firing. */
err run_store_of_day(struct ctx *c, const char *job_name, struct instant fire_at, enum run_status *status, bool *found);
/* A manual run under way whose slices concern the account (nil: a run of all). */
err run_store_manual_open(struct ctx *c, const char *job_name, struct uuid account_id, bool *yes);

struct run_filter {
    const char *job;         /* NULL: any */
    int status, trigger;     /* -1: any */
    struct instant from, to; /* of the firing */
    struct uuid parent_id;   /* slices of this run; nil: see everywhere */
    bool everywhere;         /* runs of all; else the slices of c->account_id */
    struct uuid before;      /* keyset: ids below this */
    int64_t limit;
};
err run_store_list(struct ctx *c, const struct run_filter *f, struct run *rows, size_t *n);
/* The last run of each job. */
err run_store_latest(struct ctx *c, bool everywhere, struct run **out, size_t *n);
/* The last few runs of each of these jobs, newest first within a job. */
err run_store_recent(struct ctx *c, bool everywhere, const char *const *names, size_t n_names, int64_t each, struct run **out,
                     size_t *n);
/* Of the runs that fired since then, by job. */
err run_store_averages(struct ctx *c, bool everywhere, struct instant since, struct run_average **out, size_t *n);

err run_store_cancel(struct ctx *c, struct uuid id, struct instant now);
/* The slice, or all slices of the run, that no worker holds; those that are held see it between two batches. */
err run_store_cancel_idle_slices(struct ctx *c, struct uuid id, struct instant now);

#endif
