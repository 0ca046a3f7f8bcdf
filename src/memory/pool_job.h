/* The job of pools; src/jobs_list.c lists it. */
#ifndef LOCI_POOL_JOB_H
#define LOCI_POOL_JOB_H

#include "job.h"

extern const struct job pool_cleanup_job; /* keys and pools whose time is over */

/* struct app.embed_later: the writes of one key within half a minute cost one vector. */
#define POOL_VECTOR_S 30
err pool_embed_later(struct ctx *c, const struct uuid *ids, size_t n);

#endif
