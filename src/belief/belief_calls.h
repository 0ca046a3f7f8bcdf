/* The call tables of belief; each ends with NULL. */
#ifndef LOCI_BELIEF_CALLS_H
#define LOCI_BELIEF_CALLS_H

#include "op.h"

extern const struct op *const fact_calls_table[], *const entity_calls_table[],
    *const consolidate_calls_table[];

#endif
