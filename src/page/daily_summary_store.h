/* Counts of one day. */
#ifndef LOCI_DAILY_SUMMARY_STORE_H
#define LOCI_DAILY_SUMMARY_STORE_H

#include "ctx.h"
#include "list.h"

struct day_span {
    struct instant from, to;
};

struct day_count {
    const char *name;
    int64_t n;
};
/* New nodes by kind; learnings by status: new ones and those that changed; escalations by status. out: of struct day_count. */
err daily_store_nodes(struct ctx *c, const struct day_span *d, struct list *out);
err daily_store_learnings(struct ctx *c, const struct day_span *d, struct list *out);
err daily_store_escalations(struct ctx *c, const struct day_span *d, struct list *out);
/* New edges; nodes and edges in all; nodes that were archived and forgotten. */
struct day_totals {
    int64_t new_edges, nodes, edges, archived, forgotten;
};
err daily_store_totals(struct ctx *c, const struct day_span *d, struct day_totals *out);
/* Titles of published pages and articles that changed, of those that everyone may read; n: how many changed in all. */
err daily_store_pages(struct ctx *c, const struct day_span *d, size_t max, struct strs *titles, int64_t *n);

#endif
