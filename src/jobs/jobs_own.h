/* The engine's own kinds of task, which every list of kinds must hold. */
#ifndef LOCI_JOBS_OWN_H
#define LOCI_JOBS_OWN_H

#include "task.h"

extern const struct task_kind run_kind;      /* finds the accounts of a run and gives each a slice */
extern const struct task_kind slice_kind;    /* one account's part */

#endif
