/* What operations on jobs have in common: how a job is named, and what it looks like. In job_calls.c. */
#ifndef LOCI_JOB_CALLS_H
#define LOCI_JOB_CALLS_H

#include "field.h"
#include "job_service.h"
#include "list.h"
#include "run_calls.h"

#define F_JOB_NAME(s) F_STR(s, name, FIELD_REQUIRED | FIELD_SLUG, 1, LIMIT_JOB_NAME, "name of the job")

struct job_name_in {
    const char *name;
    int scope;
};

extern const struct field JOB_NAME_IN[];

struct job_out {
    const char *name, *description, *schedule, *time_zone, *after, *paused_by, *pause_reason;
    bool enabled, continuous, can_dry_run, deletes, installation, essential;
    struct instant paused_at, next_fire_at, last_fire_at;
    enum job_catchup catchup;
    enum job_overlap overlap;
    enum after_policy after_policy;
    int64_t time_box_s, slice_box_s, bound, version, runs;
    double success_rate, mean_seconds;
    struct strs next;
    struct list params;
    const struct run_out *last_run;
    const struct job_override *override;
};

extern const struct field JOB_OUT[];
extern const struct field OVERRIDE_OUT[]; /* of struct job_override */

err job_show(struct ctx *c, const char *name, bool everywhere, struct job_out *out);

#endif
