/* The call table of events; it ends with NULL. */
#ifndef LOCI_EVENT_CALLS_H
#define LOCI_EVENT_CALLS_H

#include "op.h"

extern const struct op *const event_calls_table[];

#endif
