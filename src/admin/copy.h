/* "The same for a shell and for MCP" below a page: its operation of the call table with what the page asked. */
#ifndef LOCI_COPY_H
#define LOCI_COPY_H

#include "page_call.h"

/* What the page asked that operation, without the place in the list. */
struct json *copy_args(struct ctx *c, const struct page_call *p, const struct op *op);
/* copy {summary, href, curl, mcp (or null), csv (or null)} of the operation, unless the caller may not call it. The token stays a
 * variable of the shell: none is written. */
void copy_add(struct ctx *c, struct page_call *p, const char *op);

#endif
