/* The tables of pages of questions; each ends with a row without path. */
#ifndef LOCI_RAG_HTML_H
#define LOCI_RAG_HTML_H

#include "page_call.h"

extern const struct page_row rag_pages[], community_pages[];

#endif
