/* Links are bound by task where many pages wait for one name; daily summaries are written by a job. */
#ifndef LOCI_PAGE_JOB_H
#define LOCI_PAGE_JOB_H

#include "job.h"

extern const struct task_kind bind_links_kind;
extern const struct job daily_summary_job;

#endif
