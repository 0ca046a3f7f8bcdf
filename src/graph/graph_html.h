/* The tables of pages of accounts, spaces, nodes and the audit trail, each ended by a row without path; and their common parts. */
#ifndef LOCI_GRAPH_HTML_H
#define LOCI_GRAPH_HTML_H

#include "access.h"
#include "health.h"
#include "page_call.h"
#include "people_html.h"

extern const struct page_row account_pages[];
extern const struct page_row spaces_pages[];
extern const struct page_row space_tree_pages[];
extern const struct page_row picture_pages[];
extern const struct page_row timeline_pages[];
extern const struct page_row design_pages[];
extern const struct page_row audit_pages[];
extern const struct page_row health_pages[];

/* The list of lights for the partial "health", from the parts; href: what is behind them, or NULL. */
struct json *health_lights(struct ctx *c, const struct health_part *parts, size_t n, const char *href);

/* ---- grant_parts_html.c: for the partial "grants" */

/* `grants` of the space and the choices of the form that adds one; at: the page, which posts below itself. For who manages it. */
err put_grants(struct ctx *c, struct page_call *p, struct uuid space, const char *at, const struct names *names, const struct page *teams);
/* What its forms do, for rows …/grants and …/grants/:grant_id/remove below the page, which is folder/<space>tab; the first param is the
 * space. */
err post_grant(struct ctx *c, struct page_call *p, const char *folder, const char *tab);
err post_ungrant(struct ctx *c, struct page_call *p, const char *folder, const char *tab);
/* All of a page about access: may_grant, access_words and the parts above. level: of the caller; govern: what granting needs; words: who has access, as a sentence. */
err put_access_page(struct ctx *c, struct page_call *p, struct uuid space, enum access_level level, enum permission govern,
                    const char *words, const char *at, const struct names *names);

#endif
