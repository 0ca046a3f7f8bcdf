/* What the files of the pool service share; nobody else includes this. */
#ifndef LOCI_POOL_IMPL_H
#define LOCI_POOL_IMPL_H

#include "pool.h"

/* A shared pool that was asked for as a space. */
err pool_make_space(struct ctx *c, const struct space *in, struct space *out);

#endif
