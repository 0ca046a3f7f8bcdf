/* Operations of nodes that have a file of their own. */
#ifndef LOCI_NODE_CALLS_H
#define LOCI_NODE_CALLS_H

#include "op.h"

extern const struct op node_bulk_op;     /* POST /api/v1/nodes/bulk */

#endif
