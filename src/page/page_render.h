/* A page's text as HTML: what Markdown makes of it, with nothing but known tags and attributes, and links for the one who reads. */
#ifndef LOCI_PAGE_RENDER_H
#define LOCI_PAGE_RENDER_H

#include "ctx.h"
#include "json.h"
#include "link_scan.h"
#include "wiki_page.h"

#define RENDER_EMBEDS 50 /* pages shown within one page */
#define RENDER_DEPTH 3   /* embeds in one another */

/* Where links of a page lead. */
struct render_site {
    const char *pages, *articles; /* "/admin/pages/": the slug follows */
    const char *files, *nodes;    /* likewise: the id follows; nodes NULL: other nodes than pages have no page here */
    bool is_public;               /* only what is readable without login exists; no sign of anything else */
    bool may_create;              /* a missing page has a link that creates it */
};

extern const struct render_site ADMIN_SITE;

struct page_render {
    const char *html;
    const struct json *toc; /* [{level, text, id}] */
};

/* ERR_INVALID with the reason too_complex: the text takes more memory or time than one may. */
err page_render(struct ctx *c, const struct wiki_page *p, const struct render_site *site, struct page_render *out);
/* A text that is no page yet, for the caller. */
err page_preview(struct ctx *c, const char *content, const char **html);
/* What Markdown makes of a text, links as marks: the same for every reader. */
struct page_marks {
    struct link_scan scan;
    const char *html;
    struct json *toc;
    struct list links; /* has_links: its rows, just written, none of which waits */
    bool has_links;
};
/* Before it is saved: whether the text can be rendered; the answer takes what was made. */
err page_render_check(struct ctx *c, struct wiki_page *p);

/* ---- between the files of the renderer */

/* HTML of a text whose links are placeholders: MARK_OPEN number MARK_CLOSE, the number being that of the link in the scan. */
#define MARK_OPEN '\x02'
#define MARK_CLOSE '\x03'
#define BLOCK_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-" /* of a ^block */
err page_render_marks(struct ctx *c, const char *content, struct page_marks *out);
/* Adds text that can be neither a tag nor the end of an attribute. */
struct buf;
void render_escape(struct buf *out, const char *text);
/* What cmark made, cleaned: only tags and attributes of the list, safe addresses,
    ids for headings. ERR_INTERNAL: it is no HTML of that kind. */
err render_clean(struct ctx *c, const char *html, const char *token, const struct link_scan *scan, struct buf *out, struct json *toc);

#endif
