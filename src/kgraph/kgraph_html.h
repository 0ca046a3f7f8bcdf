/* The page of merges of nodes. */
#ifndef LOCI_KGRAPH_HTML_H
#define LOCI_KGRAPH_HTML_H

#include "page_call.h"

extern const struct page_row graph_merge_pages[];

#endif
