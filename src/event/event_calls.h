/* The call tables of events and webhooks; each ends with NULL. */
#ifndef LOCI_EVENT_CALLS_H
#define LOCI_EVENT_CALLS_H

#include "op.h"

extern const struct op *const event_calls_table[];
extern const struct op *const webhook_calls_table[];

#endif
