/* The job of shared knowledge; src/jobs_list.c lists it. */
#ifndef LOCI_KNOWLEDGE_JOB_H
#define LOCI_KNOWLEDGE_JOB_H

#include "job.h"

extern const struct job shared_knowledge_maintenance_job;

#endif
