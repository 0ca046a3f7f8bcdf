/* The table of the pages about webhooks, ended by a row without path. */
#ifndef LOCI_EVENT_HTML_H
#define LOCI_EVENT_HTML_H

#include "page_call.h"

extern const struct page_row webhook_pages[];

#endif
