/* How a pool is answered: the calls of pools and of workflow runs share it. */
#ifndef LOCI_POOL_CALLS_H
#define LOCI_POOL_CALLS_H

#include "field.h"
#include "pool.h"

extern const struct field pool_fields[]; /* of struct pool */

#endif
