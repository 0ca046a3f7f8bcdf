/* The table of pages of facts and policies; it ends with a row without path. */
#ifndef LOCI_POLICY_HTML_H
#define LOCI_POLICY_HTML_H

#include "page_call.h"

extern const struct page_row policy_pages[];

#endif
