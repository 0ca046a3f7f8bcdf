/* The OpenAPI 3.1 document, made from the call table. */
#ifndef LOCI_OPENAPI_H
#define LOCI_OPENAPI_H

#include "op.h"

struct json *openapi_document(struct arena *a, const struct op_table *ops, const char *public_url);

/* Does the operation take its arguments in a JSON body (else: in the query string)? */
bool op_has_body(const struct op *op);
/* The HTTP statuses of what can go wrong with it. */
#define OP_ERRORS_MAX 16
size_t op_errors(const struct op *op, int status[OP_ERRORS_MAX]);
/* Is field f of op part of the path? */
bool op_in_path(const struct op *op, const char *field);

#endif
