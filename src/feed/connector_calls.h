/* The operations, pages and jobs of connectors. */
#ifndef LOCI_CONNECTOR_CALLS_H
#define LOCI_CONNECTOR_CALLS_H

#include "op.h"

extern const struct op *const connector_calls_table[];

#endif
