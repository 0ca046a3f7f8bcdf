/* The tables of pages of oversight; each ends with a row without path. */
#ifndef LOCI_OVERSIGHT_HTML_H
#define LOCI_OVERSIGHT_HTML_H

#include "page_call.h"

extern const struct page_row contacts_pages[];

#endif
