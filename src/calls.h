/* The call table of the whole house. */
#ifndef LOCI_CALLS_H
#define LOCI_CALLS_H

#include "op.h"

struct op_table calls_all(struct arena *a);

#endif
