/* The call tables of the inbox; each ends with NULL. */
#ifndef LOCI_INBOX_CALLS_H
#define LOCI_INBOX_CALLS_H

#include "op.h"

extern const struct op *const inbox_calls_table[];

#endif
