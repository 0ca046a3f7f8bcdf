/* The jobs of notifications. */
#ifndef LOCI_NOTIFICATION_JOB_H
#define LOCI_NOTIFICATION_JOB_H

#include "job.h"

extern const struct job notification_cleanup_job, notification_delivery_job;

#endif
