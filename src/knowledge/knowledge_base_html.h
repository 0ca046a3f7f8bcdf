/* The tables of pages of knowledge bases and documents; each ends with a row without path. */
#ifndef LOCI_KNOWLEDGE_BASE_HTML_H
#define LOCI_KNOWLEDGE_BASE_HTML_H

#include "page_call.h"

extern const struct page_row knowledge_base_pages[], document_pages[];

/* One base, for forms of its documents that are shown again. */
err knowledge_base_page(struct ctx *c, struct page_call *p);

#endif
