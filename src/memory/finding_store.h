/* SQL of findings; only finding.c includes this. */
#ifndef LOCI_FINDING_STORE_H
#define LOCI_FINDING_STORE_H

#include "finding.h"

err finding_store_drop(struct ctx *c, const char *class, const struct uuid *nodes, size_t n);
err finding_store_put(struct ctx *c, const char *class, const struct finding *rows, size_t n);

#endif
