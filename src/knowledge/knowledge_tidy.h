/* Tidying up behind knowledge bases: what was deleted long ago, chunks that were replaced, old records of queries. */
#ifndef LOCI_KNOWLEDGE_TIDY_H
#define LOCI_KNOWLEDGE_TIDY_H

#include "ctx.h"

/* For the job, in its transaction: at most so many rows; *n: how many went. */
err knowledge_tidy(struct ctx *c, int64_t limit, int64_t *n);
/* Accounts that have bases. */
err knowledge_tidy_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
