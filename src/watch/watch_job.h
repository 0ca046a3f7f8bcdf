/* Jobs: goals that nobody works on, what sensors see, observations whose time is over. */
#ifndef LOCI_WATCH_JOB_H
#define LOCI_WATCH_JOB_H

#include "job.h"

extern const struct job goal_maintenance_job;
extern const struct job observation_pipeline_job;
extern const struct job observation_cleanup_job;

#endif
