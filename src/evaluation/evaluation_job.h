/* Evaluation sets are run by task. */
#ifndef LOCI_EVALUATION_JOB_H
#define LOCI_EVALUATION_JOB_H

#include "job.h"

extern const struct task_kind run_evaluation_kind;

#endif
