/* The rows of links. */
#ifndef LOCI_PAGE_LINK_STORE_H
#define LOCI_PAGE_LINK_STORE_H

#include "content_links.h"
#include "page_link.h"

err page_link_store_of(struct ctx *c, const struct uuid *sources, size_t n, struct list *out);
/* Inserts them, or gives the rows that are there all of it. */
err page_link_store_put(struct ctx *c, const struct page_link *rows, size_t n);
err page_link_store_drop(struct ctx *c, struct uuid source, const struct page_link *rows, size_t n);
/* Pages with a link that names one of these, or leads to the node; at most max. */
err page_link_store_naming(struct ctx *c, struct uuid id, struct strs roots, struct strs slugs, struct uuid *sources, size_t max,
    size_t *n);
/* Pages with a link that waits. */
err page_link_store_waiting(struct ctx *c, struct uuid *sources, size_t max, size_t *n);
/* Pages with a live edge `references` to the node, newest change first; of PAGE_ITEM. */
err page_link_store_backlinks(struct ctx *c, struct uuid target, struct uuids spaces, int64_t from, int64_t limit, struct list *out);
#define MENTION_PORTION 200
/* Pages with their texts that do not link to the node, newest change first; of PAGE_ROW. */
err page_link_store_texts(struct ctx *c, struct uuid target, struct uuids spaces, bool pages, bool articles, int64_t from,
    struct list *out);
/* Spaces of these pages, those that are not deleted. */
struct page_place {
    struct uuid id, space_id;
};
err page_link_store_places(struct ctx *c, const struct uuid *ids, size_t n, struct page_place *rows, size_t *found);

/* Nodes of other kinds that [[kind:Name]] may name and the caller may read, the oldest first. */
struct kind_hit {
    struct uuid id;
    const char *kind, *title;
};
err page_link_store_kinds(struct ctx *c, const struct strs *titles, struct kind_hit **hits, size_t *n);
/* Those of these nodes that the caller may read, of whatever kind. */
err page_link_store_readable(struct ctx *c, const struct uuid *ids, size_t n, struct uuids *out);

/* ---- about all pages; spaces: those that the caller may read */

err page_link_store_wanted(struct ctx *c, struct uuids spaces, int64_t limit, struct list *out);
struct link_hub {
    struct uuid id;
    int64_t n;
};
/* The most linked, by number of pages that link to them. */
err page_link_store_hubs(struct ctx *c, struct uuids spaces, int64_t limit, struct link_hub **rows, size_t *n);
/* Where live edges `references` from or to these pages lead; some may stand there twice. */
err page_link_store_around(struct ctx *c, const struct uuid *ids, size_t n, size_t max, struct uuid **out, size_t *found);
/* Those of them between these pages; of struct page_graph_edge. */
err page_link_store_between(struct ctx *c, const struct uuid *ids, size_t n, size_t max, struct list *out);
/* Pages that neither link nor are linked to. */
err page_link_store_orphans(struct ctx *c, struct uuids spaces, int64_t limit, struct list *out);

#endif
