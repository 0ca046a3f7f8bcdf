/* The call table of episodes; ends with NULL. */
#ifndef LOCI_EPISODE_CALLS_H
#define LOCI_EPISODE_CALLS_H

#include "op.h"

extern const struct op *const capture_calls_table[];

#endif
