/* Rows of the timetable and of its history, as the services of this room pass them on. */
#ifndef LOCI_RUN_H
#define LOCI_RUN_H

#include "job.h"

/* A row of `job`. */
struct job_row {
    const char *name, *description, *schedule, *time_zone;
    int64_t position;
    bool enabled;
    struct instant paused_at;
    const char *paused_by, *pause_reason;
    enum job_catchup catchup;
    enum job_overlap overlap;
    const char *after;
    enum after_policy after_policy;
    int64_t time_box_s, slice_box_s;
    const struct json *params;
    struct instant next_fire_at, last_fire_at;
    int64_t version;
    struct instant updated_at;
};

/* A row of `job_override`. version 0: there is none. */
struct job_override {
    const char *job_name;
    bool enabled;
    const struct json *params;
    const char *reason, *updated_by;
    int64_t version;
    struct instant updated_at;
};

/* A row of `job_run`: a run, or a slice of one. */
struct run {
    struct uuid id;
    const char *job_name;
    struct uuid account_id, parent_id, only_account;
    enum run_trigger trigger;
    struct instant fire_at;
    int64_t missed;
    bool dry_run, expanded, cancelled;
    const struct json *params; /* NULL: none of its own */
    enum run_status status;
    int64_t scanned, changed, failed, skipped;
    const struct json *counts, *notes;
    int64_t progress_done, progress_total; /* accounts; total 0: it is the part of one account, or has none yet */
    const char *error, *reason, *host, *version, *requested_by;
    struct instant created_at, started_at, finished_at, heartbeat_at;
};

/* Counts of a continuous job's row: how often it fired in the hour, and how long it worked in all. The row's times only say
 * when the first of these firings began and the last one ended. */
#define RUN_PASSES "passes"
#define RUN_WORKED_US "worked_us"

static inline bool run_has_ended(enum run_status s)
{
    return s != RUN_WAITING && s != RUN_RUNNING;
}

/* What a batch adds to its row. */
struct run_delta {
    int64_t scanned, changed, failed, skipped;
    const struct json *counts; /* an object of integers; NULL: none */
    const struct json *notes;  /* an array; NULL: none */
};

struct run_average {
    const char *job_name;
    int64_t runs, succeeded;
    double seconds; /* mean of those that ran; of a continuous job: of one firing */
};

#endif
