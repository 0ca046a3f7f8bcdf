/* The jobs and kinds of task of recall: every node gets its vector, and large accounts are packed; src/jobs_list.c lists them. */
#ifndef LOCI_VECTORS_JOB_H
#define LOCI_VECTORS_JOB_H

#include "job.h"

extern const struct job embedding_backfill_job; /* finds nodes without a current vector */
extern const struct job reembed_watch_job;      /* builds another model's vectors, and switches */
extern const struct job recall_warmup_job;      /* packs the index of accounts that are not small */
extern const struct task_kind embed_kind, reembed_kind;

/* struct app.vectors_later. */
err vectors_later(struct ctx *c, const struct uuid *ids, size_t n);

#endif
