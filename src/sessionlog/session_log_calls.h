/* The operations of session logs. */
#ifndef LOCI_SESSION_LOG_CALLS_H
#define LOCI_SESSION_LOG_CALLS_H

#include "op.h"

extern const struct op *const session_log_calls_table[];

#endif
