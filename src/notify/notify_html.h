/* The page tables of notify; each ends with a row without path. */
#ifndef LOCI_NOTIFY_HTML_H
#define LOCI_NOTIFY_HTML_H

#include "page_call.h"

extern const struct page_row notification_pages[];

#endif
