/* The tables of pages of the five words; each ends with a row without path. */
#ifndef LOCI_GRAPH_PAGES_H
#define LOCI_GRAPH_PAGES_H

#include "page_call.h"

extern const struct page_row overview_pages[];

#endif
