/* The table of operations on skills as files; ends with NULL. */
#ifndef LOCI_SKILLMD_CALLS_H
#define LOCI_SKILLMD_CALLS_H

#include "op.h"

extern const struct op *const skillmd_calls_table[];

#endif
