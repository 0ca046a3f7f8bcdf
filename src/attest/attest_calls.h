/* The call table of the room; ends with NULL. */
#ifndef LOCI_ATTEST_CALLS_H
#define LOCI_ATTEST_CALLS_H

#include "op.h"

extern const struct op *const attest_calls_table[];

#endif
