/* The call tables of oversight; each ends with NULL. */
#ifndef LOCI_OVERSIGHT_CALLS_H
#define LOCI_OVERSIGHT_CALLS_H

#include "op.h"

extern const struct op *const escalation_calls_table[];

#endif
