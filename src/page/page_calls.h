/* The operations and pages of pages. */
#ifndef LOCI_PAGE_CALLS_H
#define LOCI_PAGE_CALLS_H

#include "op.h"
#include "page_call.h"
#include "wiki_page.h"

extern const struct op *const wiki_page_calls_table[], *const page_link_calls_table[], *const article_calls_table[];

/* The pages about pages; the table ends with a row without path. */
extern const struct page_row wiki_pages[];

/* Id or slug, and the version that the caller knows. */
extern const struct field PAGE_REF_IN[];

#endif
