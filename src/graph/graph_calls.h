/* The call tables of accounts, spaces, nodes, edges, vectors and the audit trail; each ends with NULL. */
#ifndef LOCI_GRAPH_CALLS_H
#define LOCI_GRAPH_CALLS_H

#include "op.h"

extern const struct op *const account_calls_table[];
extern const struct op *const space_calls_table[];
extern const struct op *const grant_calls_table[];
extern const struct op *const node_calls_table[];
extern const struct op *const edge_calls_table[];
extern const struct op *const vector_calls_table[];
extern const struct op *const audit_calls_table[];

#endif
