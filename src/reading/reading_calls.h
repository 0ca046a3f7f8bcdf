/* The call table of reading; ends with NULL. */
#ifndef LOCI_READING_CALLS_H
#define LOCI_READING_CALLS_H

#include "op.h"

extern const struct op *const reading_calls_table[];

#endif
