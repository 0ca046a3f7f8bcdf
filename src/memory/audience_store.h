/* Namespaces by name; only audience.c includes this. */
#ifndef LOCI_AUDIENCE_STORE_H
#define LOCI_AUDIENCE_STORE_H

#include <stddef.h>

#include "ctx.h"

/* Live ones whose slug begins with the prefix. */
err audience_store_namespaces(struct ctx *c, const char *prefix, struct uuid **ids, size_t *n);

#endif
