/* Path, query and body of a request as the one object of arguments that an operation takes. */
#ifndef LOCI_API_ARGS_H
#define LOCI_API_ARGS_H

#include "exchange.h"
#include "op.h"

/* body gets the raw bytes (empty when the operation takes none), for Idempotency-Key. */
err api_args(struct ctx *c, struct exchange *x, const struct op *op, struct json **args, struct bytes *body);

#endif
