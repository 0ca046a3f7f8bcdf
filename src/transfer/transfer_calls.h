/* Operations of this room, for the list of all. */
#ifndef LOCI_TRANSFER_CALLS_H
#define LOCI_TRANSFER_CALLS_H

#include "op.h"

extern const struct op *const transfer_calls_table[], *const memories_calls_table[];

#endif
