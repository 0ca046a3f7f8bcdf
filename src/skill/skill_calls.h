/* The operations of skills. */
#ifndef LOCI_SKILL_CALLS_H
#define LOCI_SKILL_CALLS_H

#include "op.h"

extern const struct op *const skill_calls_table[], *const skill_use_calls_table[], *const skill_version_calls_table[];

#endif
