/* The table of pages of the brief; it ends with a row without path. */
#ifndef LOCI_BRIEF_HTML_H
#define LOCI_BRIEF_HTML_H

#include "page_call.h"

extern const struct page_row brief_pages[];

#endif
