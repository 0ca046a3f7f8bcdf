/* What lies around a page: who links to it, who names it without a link, what means much the same. */
#ifndef LOCI_CONTENT_LINKS_H
#define LOCI_CONTENT_LINKS_H

#include "wiki_page.h"

#define BACKLINKS_MAX 200
#define MENTIONS_LIMIT 20
#define MENTION_TEXTS 2000 /* texts that are searched for a title, the newest */
#define MENTION_BYTES (64 * 1024 * 1024)
#define MENTIONS_OF_TEXT 10

struct content_item {
    struct uuid id;
    const char *title, *slug, *excerpt;
    enum wiki_type type;
    double similarity;    /* of related pages */
    struct list mentions; /* of struct mention_place; where they were asked for */
    int64_t version;
};

struct mention_place {
    int64_t start, end; /* bytes of the text */
    const char *snippet;
};

/* Newest change first, each once, of what the caller may read. *next: where to go on; 0: that was all. */
err backlinks_for(struct ctx *c, const struct wiki_page *p, int64_t from, int64_t limit, struct list *out, int64_t *next);

struct mention_wish {
    bool pages, articles, detail;
    int64_t limit;
};
/* Texts with the title or an alias as whole words, that do not link to the page; newest change first. */
err unlinked_mentions_for(struct ctx *c, const struct wiki_page *p, const struct mention_wish *w, struct list *out);

/* By the cosine of their vectors, nearest first. A page that has none gets one; where that cannot be done, the list is empty. */
err related_pages_for(struct ctx *c, const struct wiki_page *p, int64_t limit, struct list *out);

/* The node of a page is the page: name and slug cannot differ. */
struct node;
err find_or_create_page_node(struct ctx *c, const struct wiki_page *p, struct node *out);

#define EMBEDDING_DONE(X) X(EMBEDDING_GENERATED, "generated") X(EMBEDDING_QUEUED, "queued") X(EMBEDDING_UNCHANGED, "unchanged")
ENUMX_DECLARE(embedding_done, EMBEDDING_DONE);
/* Its vector, made now if it is not current; queued where no model answers. force: made in any case. */
err generate_page_embedding(struct ctx *c, const struct wiki_page *p, bool force, enum embedding_done *out);

/* One mention in the source's text becomes [[Title]], or [[Title|as written]]. */
err link_mention(struct ctx *c, const struct wiki_page *p, const struct page_ref *source, int64_t start, int64_t end,
    struct wiki_page *out);

/* [[Old]] becomes [[New]] in texts that link to the page and that the caller may write; n: how many did. */
err links_rewrite(struct ctx *c, const struct wiki_page *was, const struct wiki_page *now, int64_t *n);

/* ---- what is said of all links: wanted names, pages without links, the most linked ones, the graph (page_graph.c) */

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
