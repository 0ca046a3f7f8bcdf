/* The call table of the lifecycle; ends with NULL. */
#ifndef LOCI_LIFECYCLE_CALLS_H
#define LOCI_LIFECYCLE_CALLS_H

#include "op.h"

extern const struct op *const lifecycle_calls_table[];

#endif
