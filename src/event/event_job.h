/* Jobs of the event stream. */
#ifndef LOCI_EVENT_JOB_H
#define LOCI_EVENT_JOB_H

#include "job.h"

extern const struct job event_relay_job, event_cleanup_job;

#endif
