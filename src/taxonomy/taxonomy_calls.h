/* The table of operations on tags; ends with NULL. */
#ifndef LOCI_TAXONOMY_CALLS_H
#define LOCI_TAXONOMY_CALLS_H

#include "op.h"

extern const struct op *const taxonomy_calls_table[];

#endif
