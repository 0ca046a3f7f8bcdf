/* The best of what was learned becomes shared knowledge, for those who had the learning: each once, and none that is there. */
#ifndef LOCI_LEARNING_IMPORT_H
#define LOCI_LEARNING_IMPORT_H

#include "knowledge.h"
#include "learning.h"

#define IMPORT_IMPORTANCE 0.7 /* effective importance from which on it is worth it */
#define IMPORT_BEST 500       /* at a time */

struct import_row {
    struct learning learning;
    struct uuid same; /* knowledge that says so already; nil: none */
};

/* Accounts above `above` with learnings that nobody has imported, ascending. */
err learning_import_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Of the best that are not imported yet those with a higher id than that, at most max, by id. */
err learning_import_scan(struct ctx *c, struct uuid above, size_t max, struct import_row *rows, size_t *n);
/* Inside the caller's transaction. *made false: there was nothing to make. */
err learning_import_one(struct ctx *c, const struct import_row *row, bool *made);

#endif
