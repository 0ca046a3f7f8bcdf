/* Any list page as CSV: what its operation lists, with the filters of the page. */
#ifndef LOCI_SHEET_H
#define LOCI_SHEET_H

#include "exchange.h"
#include "page_call.h"

#define SHEET_ROWS 10000 /* then the last line says that there are more */

/* "csv=1" in the query of a page whose operation answers a list. */
bool sheet_is_wanted(const struct ctx *c, const struct page_call *p, const char *op);
err sheet_answer(struct ctx *c, struct exchange *x, const struct page_call *p, const char *op);
/* Where a page has its CSV; NULL: what it shows is no list. */
const char *sheet_href(struct ctx *c, const struct page_call *p, const struct op *op);

#endif
