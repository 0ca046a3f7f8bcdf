/* Tables of the room's operations; each ends with NULL. */
#ifndef LOCI_TRUST_CALLS_H
#define LOCI_TRUST_CALLS_H

#include "op.h"

extern const struct op *const trust_calls_table[], *const feedback_calls_table[];

#endif
