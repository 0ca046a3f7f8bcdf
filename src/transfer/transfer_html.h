/* The table of the pages about exports and imports, ended by a row without path. */
#ifndef LOCI_TRANSFER_HTML_H
#define LOCI_TRANSFER_HTML_H

#include "page_call.h"

extern const struct page_row transfer_pages[];

#endif
