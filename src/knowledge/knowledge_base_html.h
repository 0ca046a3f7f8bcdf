/* The tables of pages of knowledge bases and documents; each ends with a row without path. */
#ifndef LOCI_KNOWLEDGE_BASE_HTML_H
#define LOCI_KNOWLEDGE_BASE_HTML_H

#include "document.h"
#include "page_call.h"

extern const struct page_row knowledge_base_pages[], document_pages[], document_access_pages[];

/* One base, for forms of its documents that are shown again. */
err knowledge_base_page(struct ctx *c, struct page_call *p);
/* The same of one document. */
err document_page(struct ctx *c, struct page_call *p);
/* may_grant, is_restricted, and for who manages the base `grants` and the choices of the partial "grants". */
err put_document_access(struct ctx *c, struct page_call *p, const struct document *d);

#endif
