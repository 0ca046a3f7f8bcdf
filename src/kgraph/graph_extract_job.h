/* Chunks are read for facts by task. */
#ifndef LOCI_GRAPH_EXTRACT_JOB_H
#define LOCI_GRAPH_EXTRACT_JOB_H

#include "job.h"

extern const struct task_kind graph_extract_kind;

#endif
