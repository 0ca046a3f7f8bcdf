/* The pages of the lifecycle; the table ends with a row without path. */
#ifndef LOCI_LIFECYCLE_HTML_H
#define LOCI_LIFECYCLE_HTML_H

#include "page_call.h"

extern const struct page_row erasure_pages[];

#endif
