/* The call tables of jobs and queue; each ends with NULL. */
#ifndef LOCI_JOBS_CALLS_H
#define LOCI_JOBS_CALLS_H

#include "op.h"

extern const struct op *const job_calls_table[];
extern const struct op *const job_change_calls_table[];
extern const struct op *const run_calls_table[];
extern const struct op *const task_calls_table[];
extern const struct op *const settle_calls_table[];

#endif
