/* SQL of feedback; only feedback.c includes this. */
#ifndef LOCI_FEEDBACK_STORE_H
#define LOCI_FEEDBACK_STORE_H

#include "feedback.h"

/* Of that person, agent and context. */
err feedback_store_find(struct ctx *c, const struct feedback *of, bool *found, struct feedback *out);
/* Asked for and not given, of that agent and person. */
err feedback_store_open(struct ctx *c, struct uuid agent_id, struct uuid user_id, int64_t *n);
/* user_id nil: of all. */
err feedback_store_list(struct ctx *c, const struct feedback_filter *f, struct uuid user_id, struct uuid before, struct page *out);

#endif
