/* Operations on files beside pages. */
#ifndef LOCI_ATTACHMENT_CALLS_H
#define LOCI_ATTACHMENT_CALLS_H

#include "op.h"

extern const struct op *const attachment_calls_table[];

#endif
