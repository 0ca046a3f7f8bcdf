/* The pages of the room; the table ends with a row without path. */
#ifndef LOCI_ATTEST_HTML_H
#define LOCI_ATTEST_HTML_H

#include "page_call.h"

extern const struct page_row review_pages[];

#endif
