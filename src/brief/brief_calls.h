/* Tables of the room's operations. */
#ifndef LOCI_BRIEF_CALLS_H
#define LOCI_BRIEF_CALLS_H

#include "op.h"

extern const struct op *const brief_calls_table[];

#endif
