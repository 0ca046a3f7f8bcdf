/* How the importance of a node went and will go, as a chart. */
#ifndef LOCI_NODE_SCORE_HTML_H
#define LOCI_NODE_SCORE_HTML_H

#include "node.h"
#include "page_call.h"

/* Adds `score`, a chart object. */
err put_score(struct ctx *c, struct page_call *p, const struct node *n);

#endif
