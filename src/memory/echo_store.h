/* Spaces by their owner; only echo.c includes this. */
#ifndef LOCI_ECHO_STORE_H
#define LOCI_ECHO_STORE_H

#include <stddef.h>

#include "ctx.h"

/* The space itself, others of its agent or team, and the account's global namespace. */
err echo_store_spaces(struct ctx *c, struct uuid space_id, struct uuid **ids, size_t *n);

#endif
