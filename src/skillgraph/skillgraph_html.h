/* The tables of pages of the graph of skills; each ends with a row without path. */
#ifndef LOCI_SKILLGRAPH_HTML_H
#define LOCI_SKILLGRAPH_HTML_H

#include "page_call.h"

extern const struct page_row skill_proposal_pages[], skill_conflict_pages[];

#endif
