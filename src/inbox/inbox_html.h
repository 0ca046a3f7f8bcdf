/* The page tables of the inbox; each ends with a row without path. */
#ifndef LOCI_INBOX_HTML_H
#define LOCI_INBOX_HTML_H

#include "page_call.h"

extern const struct page_row inbox_pages[], standing_pages[];

#endif
