/* Links between pages: extracted from their texts, resolved to nodes, kept as rows and as edges `references`. */
#ifndef LOCI_PAGE_LINK_H
#define LOCI_PAGE_LINK_H

#include "link_scan.h"
#include "wiki_page.h"
#include "wiki_page_store.h"

#define LINK_STATE(X) X(LINK_RESOLVED, "resolved") X(LINK_PENDING, "pending") X(LINK_SELF, "self") X(LINK_FILE, "file")
ENUMX_DECLARE(link_state, LINK_STATE);

#define BOUND_AT_ONCE 200 /* pages whose links are resolved again in one transaction; more go by task */

struct page_link {
    struct uuid source_id, target_id; /* target nil: it waits for a page of that name, or names a file */
    const char *target_key, *root_key, *target_slug, *plain_slug;
    const char *target, *heading, *raw, *display;
    bool is_embed;
    int64_t occurrences, first_at, ambiguous;
    enum link_state state;
    struct instant resolved_at;
};
extern const struct field PAGE_LINK_OUT[];
extern const struct thing PAGE_LINK;

struct link_counts {
    int64_t extracted; /* edges that the page has now */
    int64_t pending, added, removed, ignored;
};

/* Rows and edges become what the text says; inside the caller's transaction, the page being locked. scan NULL: it is made. */
err page_links_extract(struct ctx *c, const struct wiki_page *p, const struct link_scan *scan, struct link_counts *out);
/* The same in a transaction of its own: extract_links! of the seed. */
err page_links_extract_again(struct ctx *c, struct uuid id, struct link_counts *out);
/* A page that is gone has no edges; its rows stay for when it comes back. */
err page_links_retire(struct ctx *c, const struct wiki_page *p);

/* These names came, went or changed: links elsewhere that name one of them, or lead to the page, are resolved again. */
err page_links_bind(struct ctx *c, struct uuid id, const struct wiki_name *names, size_t n);
/* Links of these pages are resolved again; for the task. */
err page_links_bind_sources(struct ctx *c, const struct uuid *sources, size_t n);
/* All links of the account that wait: after an import. */
err page_links_bind_pending(struct ctx *c);
/* After the commit of a save: what was written meanwhile by others, whom this transaction could not see. */
err page_links_look_again(struct ctx *c, struct uuid id, bool has_pending, bool has_names);

/* Rows of these pages, in the order of their texts. */
err page_links_of(struct ctx *c, struct uuid id, struct list *out);
/* Which node each of these links leads to: target_id, state, ambiguous. */
err page_links_resolve(struct ctx *c, struct page_link *links, size_t n);
/* Rows of a text that is not saved, resolved. */
err page_links_would_be(struct ctx *c, const struct link_scan *scan, struct list *out);
/* Rows of a text, unresolved; p: for the source. */
void page_links_of_scan(struct ctx *c, struct uuid source, const struct link_scan *scan, struct list *out, int64_t *ignored);

#endif
