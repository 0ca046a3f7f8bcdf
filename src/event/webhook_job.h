/* The queue's kind of task for webhooks, and their upkeep. */
#ifndef LOCI_WEBHOOK_JOB_H
#define LOCI_WEBHOOK_JOB_H

#include "job.h"

extern const struct task_kind webhook_kind;
extern const struct job webhook_upkeep_job;

/* struct app.deliver_later. */
err webhook_deliver_later(struct ctx *c, const struct uuid *ids, const int64_t *rounds, size_t n);

#endif
