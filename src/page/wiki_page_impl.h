/* What the files of the page service share; nobody else includes this. */
#ifndef LOCI_WIKI_PAGE_IMPL_H
#define LOCI_WIKI_PAGE_IMPL_H

#include "page_link.h"
#include "wiki_page.h"
#include "wiki_page_store.h"

#define WIKI_NAMES 64 /* names that one page may have */

err wiki_page_missing(struct ctx *c, enum wiki_type type);
/* Its names: title, slug, aliases and the ends of its path. names: room for WIKI_NAMES. */
size_t wiki_page_names(struct ctx *c, const struct wiki_page *p, struct wiki_name *names);
/* The form of a slug that the caller gave: ERR_INVALID with the right one in the message. */
err wiki_check_slug(struct ctx *c, const char *slug);
/* A free one made of the title. */
err wiki_free_slug(struct ctx *c, enum wiki_type type, const char *title, const char **slug);
/* The caller may give a page this status: content.publish, and the way there. */
err wiki_check_status(struct ctx *c, enum wiki_type type, enum wiki_status from, enum wiki_status to);
/* Locked for a change: found by ref, readable, writable, in this version. */
err wiki_page_take(struct ctx *c, enum wiki_type type, const struct page_ref *ref, struct wiki_page *out);

/* One change of one page: the row before and after, written with its node, names and links. */
struct wiki_save {
    struct wiki_page was, row;
    const char *verb;
    struct link_counts links;
    bool names_changed;
};
/* Inside the transaction. Sets row.version. */
err wiki_page_write(struct ctx *c, struct wiki_save *s);
/* After the commit. */
err wiki_page_written(struct ctx *c, const struct wiki_save *s);
struct node_new;
/* What the text says of itself, once page_render_check has looked at it: words, excerpt. */
void wiki_page_measure(struct ctx *c, struct wiki_page *p);
const struct json *wiki_page_attrs(struct ctx *c, const struct wiki_page *p);

#endif
