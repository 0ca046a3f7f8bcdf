/* The table of operations of archival memory; ends with NULL. */
#ifndef LOCI_ARCHIVAL_CALLS_H
#define LOCI_ARCHIVAL_CALLS_H

#include "op.h"

extern const struct op *const archival_calls_table[];

#endif
