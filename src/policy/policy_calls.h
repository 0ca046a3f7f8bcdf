/* Tables of the room's operations. */
#ifndef LOCI_POLICY_CALLS_H
#define LOCI_POLICY_CALLS_H

#include "op.h"

extern const struct op *const domain_calls_table[];
extern const struct op *const policy_calls_table[];
extern const struct op *const scratchpad_calls_table[];

#endif
