/* The job of rot; src/jobs_list.c lists it. */
#ifndef LOCI_ROT_JOB_H
#define LOCI_ROT_JOB_H

#include "job.h"

extern const struct job rot_detection_job;

#endif
