/* Which model makes the vectors, and how many nodes wait for theirs: for the health page, /readyz and the doctor. */
#ifndef LOCI_VECTOR_HEALTH_H
#define LOCI_VECTOR_HEALTH_H

#include "ctx.h"
#include "health.h"

/* Nodes of the caller's account that changed lately and wait for a vector, counted up to max: the fewer, the cheaper. For struct
 * app.vectors_waiting. */
err vector_count_waiting(struct ctx *c, int64_t max, int64_t *n);
/* For struct app.ask_model: of the caller's account, or, where there is none yet, of the installation. Asks no server. */
err vector_health(struct ctx *c, struct health_part *p);
/* Of the caller's account: makes a vector with it now. For struct app.try_model. */
err vector_try(struct ctx *c, struct health_part *p);
/* The same for the doctor, who makes a vector to see whether that works. */
err vector_health_try(struct ctx *c, struct health_part *p);

#endif
