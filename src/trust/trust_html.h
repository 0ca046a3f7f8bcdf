/* The tables of pages of trust and feedback; each ends with a row without path. */
#ifndef LOCI_TRUST_HTML_H
#define LOCI_TRUST_HTML_H

#include "page_call.h"

extern const struct page_row trust_pages[], feedback_pages[];

#endif
