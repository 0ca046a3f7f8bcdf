/* How a run of a job looks in answers. */
#ifndef LOCI_RUN_CALLS_H
#define LOCI_RUN_CALLS_H

#include "field.h"
#include "list.h"
#include "run.h"

struct run_out {
    struct uuid id;
    const char *job;
    struct uuid account_id, run_id;
    enum run_trigger trigger;
    enum run_status status;
    const char *reason, *error;
    struct instant fire_at, created_at, started_at, finished_at, heartbeat_at;
    int64_t missed;
    bool dry_run;
    int64_t scanned, changed, failed, skipped, progress_done, progress_total;
    const struct json *counts, *notes;
    const char *requested_by, *host, *program;
};

extern const struct field RUN_OUT[];

struct run_out run_out_of(const struct run *r);

#endif
