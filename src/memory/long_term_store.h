/* SQL of entries by key alone. */
#ifndef LOCI_LONG_TERM_STORE_H
#define LOCI_LONG_TERM_STORE_H

#include "ctx.h"

#define LONG_TERM_OWN 3 /* contexts of the agent that are asked first */

struct long_term_place {
    struct uuid node_id, space_id;
    const char *slug; /* of its context */
};
/* The contexts that have these handles. */
err long_term_store_own(struct ctx *c, struct uuid agent_id, const char *const own[LONG_TERM_OWN], struct uuid ids[LONG_TERM_OWN],
                        size_t *n);
/* own: handles in the order in which they are asked; session_key is preferred to key within one context. merged: not one that holds
 * the key, but one that was merged away with it. */
err long_term_store_find(struct ctx *c, struct uuid agent_id, const char *const own[LONG_TERM_OWN], const char *key, const char *session_key, bool merged,
                         bool *found, struct long_term_place *out);

#endif
