/* How the recall index of this process is, in one line. */
#ifndef LOCI_INDEX_HEALTH_H
#define LOCI_INDEX_HEALTH_H

#include "ctx.h"
#include "health.h"

/* For struct app.ask_index. What it holds of all accounts is for operators. */
err index_health(struct ctx *c, struct health_part *p);
/* For struct app.list_indexes. */
void index_health_list(struct ctx *c, bool everywhere, struct health_index *rows, size_t max, size_t *n);

#endif
