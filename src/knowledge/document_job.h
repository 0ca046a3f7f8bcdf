/* The task that processes a document, and the job that promises it again where it was lost. */
#ifndef LOCI_DOCUMENT_JOB_H
#define LOCI_DOCUMENT_JOB_H

#include "job.h"

extern const struct task_kind process_document_kind, reembed_base_kind;
extern const struct job document_sweep_job, knowledge_cleanup_job;

#endif
