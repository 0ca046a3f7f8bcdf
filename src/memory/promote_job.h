/* The jobs and the kind of task of promotion; src/jobs_list.c lists them. */
#ifndef LOCI_PROMOTE_JOB_H
#define LOCI_PROMOTE_JOB_H

#include "job.h"

extern const struct job memory_consolidation_job; /* what no task has promoted */
extern const struct job short_term_cleanup_job;   /* what has expired: promoted first where it was used enough */
extern const struct task_kind promote_kind;

/* struct app.promote_later. */
err promote_later(struct ctx *c, const struct uuid *id, int64_t version);

#endif
