/* Cleaning what somebody records on purpose: a fact, a policy, notes. */
#ifndef LOCI_SANITIZE_DIRECT_H
#define LOCI_SANITIZE_DIRECT_H

#include "ctx.h"
#include "list.h"

/* Private data is redacted as in a capture, markers stay and are flagged. flags may be NULL. ERR_INVALID: it cannot be cleaned. */
err sanitize_direct(struct ctx *c, const char *text, const char **out, struct strs *flags);

#endif
