/* The pages of connectors. */
#ifndef LOCI_CONNECTOR_HTML_H
#define LOCI_CONNECTOR_HTML_H

#include "page_call.h"

extern const struct page_row connectors_pages[];

#endif
