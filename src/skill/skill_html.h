/* The tables of pages of skills; each ends with a row without path. */
#ifndef LOCI_SKILL_HTML_H
#define LOCI_SKILL_HTML_H

#include "page_call.h"

extern const struct page_row skill_pages[];

#endif
