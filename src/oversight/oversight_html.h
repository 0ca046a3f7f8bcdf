/* The page tables of oversight; each ends with a row without path. */
#ifndef LOCI_OVERSIGHT_HTML_H
#define LOCI_OVERSIGHT_HTML_H

#include "page_call.h"

extern const struct page_row escalation_pages[];

#endif
