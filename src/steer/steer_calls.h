/* The operations of the room. */
#ifndef LOCI_STEER_CALLS_H
#define LOCI_STEER_CALLS_H

#include "op.h"

extern const struct op *const proposal_calls_table[];
extern const struct op *const intervention_calls_table[];
extern const struct op *const recommendation_calls_table[];

#endif
