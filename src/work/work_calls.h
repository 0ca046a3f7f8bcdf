/* Tables of the room's operations. */
#ifndef LOCI_WORK_CALLS_H
#define LOCI_WORK_CALLS_H

#include "op.h"

extern const struct op *const work_calls_table[];

#endif
