/* The task of an erasure that was too large for its call. */
#ifndef LOCI_ERASE_JOB_H
#define LOCI_ERASE_JOB_H

#include "job.h"

extern const struct task_kind erase_kind;

#endif
