/* The call table of rules; ends with NULL. */
#ifndef LOCI_RULE_CALLS_H
#define LOCI_RULE_CALLS_H

#include "op.h"

extern const struct op *const rule_calls_table[];

#endif
