/* All pages of the house, in the order of the navigation. */
#ifndef LOCI_PAGES_H
#define LOCI_PAGES_H

#include "page_call.h"

/* Tables of pages, ended by NULL. */
const struct page_row *const *pages_all(void);

#endif
