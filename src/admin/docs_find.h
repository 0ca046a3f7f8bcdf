/* Operations of the reference that a person looks for. */
#ifndef LOCI_DOCS_FIND_H
#define LOCI_DOCS_FIND_H

#include <stdbool.h>

#include "op.h"

/* Has each word of q somewhere: in its name, path, tool, permission or summary, or in the name of one of its fields. */
bool docs_has(const struct op *op, const char *q);

#endif
