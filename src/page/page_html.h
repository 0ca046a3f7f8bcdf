/* The table of pages about pages; it ends with a row without path. */
#ifndef LOCI_PAGE_HTML_H
#define LOCI_PAGE_HTML_H

#include "page_call.h"

extern const struct page_row wiki_pages[];

#endif
