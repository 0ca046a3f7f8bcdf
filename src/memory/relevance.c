/* Importance, confidence and recency in one number; see relevance.h. */
#include "relevance.h"

double relevance_score(const struct ctx *c, const struct node *n)
{
    struct lifecycle l = node_lifecycle(n);

    return lifecycle_round(lifecycle_now(&l, c->now) * n->confidence);
}
