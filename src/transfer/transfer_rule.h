/* What a value of a column may be: the limits and words that the calls have, asked of every value of an import. */
#ifndef LOCI_TRANSFER_RULE_H
#define LOCI_TRANSFER_RULE_H

#include "transfer_table.h"

/* The rule of this name; NULL: there is none. */
const struct transfer_rule *transfer_rule_find(const char *name, size_t n);
/* NULL, or which column of the row is not what it must be, for people. */
const char *transfer_row_broken(struct arena *a, const struct transfer_row *row);

#endif
