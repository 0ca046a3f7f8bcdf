/* Connectors look by task; a job promises those that are due. */
#ifndef LOCI_CONNECTOR_JOB_H
#define LOCI_CONNECTOR_JOB_H

#include "job.h"

extern const struct task_kind sync_connector_kind;
extern const struct job connector_sync_job;

#endif
