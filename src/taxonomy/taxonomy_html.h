/* The table of pages of tags; ends with a row without path. */
#ifndef LOCI_TAXONOMY_HTML_H
#define LOCI_TAXONOMY_HTML_H

#include "page_call.h"

extern const struct page_row taxonomy_pages[];

#endif
