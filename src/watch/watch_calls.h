/* The call tables of this room; each ends with NULL. */
#ifndef LOCI_WATCH_CALLS_H
#define LOCI_WATCH_CALLS_H

#include "op.h"

extern const struct op *const goal_calls_table[];
extern const struct op *const observation_calls_table[];

#endif
