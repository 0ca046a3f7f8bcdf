/* The pages of evaluation sets and of what is asked. */
#ifndef LOCI_EVALUATION_HTML_H
#define LOCI_EVALUATION_HTML_H

#include "page_call.h"

extern const struct page_row evaluation_pages[], insight_pages[];

#endif
