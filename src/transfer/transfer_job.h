/* Tasks and jobs of this room, for the list of all. */
#ifndef LOCI_TRANSFER_JOB_H
#define LOCI_TRANSFER_JOB_H

#include "job.h"
#include "task.h"

extern const struct task_kind export_kind, import_kind;
extern const struct job transfer_cleanup_job;

#endif
