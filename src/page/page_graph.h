/* What is said of all links: wanted names, pages without links, the most linked ones, and the picture of them. */
#ifndef LOCI_PAGE_GRAPH_H
#define LOCI_PAGE_GRAPH_H

#include "wiki_page.h"

#define PAGE_GRAPH_MAX 2000
#define PAGE_GRAPH_EDGES 8000

/* out: of struct wanted_name (page_link_store.h has its SQL). */
struct wanted_name {
    const char *target;
    int64_t sources, occurrences;
};
err page_links_wanted(struct ctx *c, int64_t limit, struct list *out);
/* out: of struct content_item. */
err page_links_orphans(struct ctx *c, int64_t limit, struct list *out);

struct page_hub {
    struct uuid id;
    const char *title, *slug;
    enum wiki_type type;
    int64_t backlinks;
};
err page_links_hubs(struct ctx *c, int64_t limit, struct list *out);
/* Rows of a page's links; targets that the caller cannot read look as if they were not there. */
err page_links_shown(struct ctx *c, struct uuid id, struct list *out);

struct page_graph_wish {
    const char *root; /* NULL: around the most linked pages */
    int64_t depth, limit;
};
struct page_graph_node {
    struct uuid id;
    const char *title, *slug;
    enum wiki_type type;
    int64_t depth;
};
struct page_graph_edge {
    struct uuid source, target;
};
struct page_graph {
    struct list nodes, edges;
    bool truncated;
};
err page_graph_of(struct ctx *c, const struct page_graph_wish *w, struct page_graph *out);

#endif
