/* The table of pages of work items; it ends with a row without path. */
#ifndef LOCI_WORK_HTML_H
#define LOCI_WORK_HTML_H

#include "page_call.h"

extern const struct page_row work_pages[];

#endif
