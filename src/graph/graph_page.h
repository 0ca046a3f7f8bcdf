/* The tables of pages of the five words; each ends with a row without path. */
#ifndef LOCI_GRAPH_PAGE_H
#define LOCI_GRAPH_PAGE_H

#include "page_call.h"

extern const struct page_row account_pages[];
extern const struct page_row tokens_pages[];
extern const struct page_row users_pages[];
extern const struct page_row agents_pages[];
extern const struct page_row teams_pages[];
extern const struct page_row spaces_pages[];
extern const struct page_row space_tree_pages[];
extern const struct page_row picture_pages[];
extern const struct page_row timeline_pages[];
extern const struct page_row design_pages[];
extern const struct page_row audit_pages[];
extern const struct page_row health_pages[];

#endif
