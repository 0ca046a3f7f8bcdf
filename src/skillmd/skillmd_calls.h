/* Tables of operations on skills as files; they end with NULL. */
#ifndef LOCI_SKILLMD_CALLS_H
#define LOCI_SKILLMD_CALLS_H

#include "op.h"

extern const struct op *const skillmd_calls_table[];
extern const struct op *const skill_served_calls_table[];

#endif
