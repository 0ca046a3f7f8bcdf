/* The operations on evaluation sets. */
#ifndef LOCI_EVALUATION_CALLS_H
#define LOCI_EVALUATION_CALLS_H

#include "op.h"

extern const struct op *const evaluation_calls_table[];

#endif
