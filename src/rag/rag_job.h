/* Jobs of what is asked of knowledge bases. */
#ifndef LOCI_RAG_JOB_H
#define LOCI_RAG_JOB_H

#include "job.h"

extern const struct job rag_cleanup_job, graph_communities_job;

#endif
