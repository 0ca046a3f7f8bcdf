/* The reference of the API as pages, made from the call table; for everybody, as the OpenAPI document is. */
#ifndef LOCI_DOCS_H
#define LOCI_DOCS_H

#include "frame.h"
#include "router.h"

void docs_add_routes(struct router *r, struct arena *a, const struct admin *admin);

#endif
