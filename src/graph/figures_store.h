/* Figures of the last minute in Redis; only figures.c includes this. */
#ifndef LOCI_FIGURES_STORE_H
#define LOCI_FIGURES_STORE_H

#include "figures.h"
#include "str.h"

/* *out stays NULL where there are none. */
err figures_store_get(struct ctx *c, const char *name, uint64_t who, struct json **out);
err figures_store_put(struct ctx *c, const char *name, uint64_t who, const struct json *figures, const char *at);

#endif
