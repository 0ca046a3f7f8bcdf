/* The page of evaluation sets. */
#ifndef LOCI_EVALUATION_HTML_H
#define LOCI_EVALUATION_HTML_H

#include "page_call.h"

extern const struct page_row evaluation_pages[];

#endif
