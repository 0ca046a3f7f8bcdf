/* The call tables of notify; each ends with NULL. */
#ifndef LOCI_NOTIFY_CALLS_H
#define LOCI_NOTIFY_CALLS_H

#include "op.h"

extern const struct op *const notification_calls_table[];

#endif
