/* The call table of recall; it ends with NULL. */
#ifndef LOCI_RECALL_CALLS_H
#define LOCI_RECALL_CALLS_H

#include "op.h"

extern const struct op *const recall_calls_table[];

#endif
