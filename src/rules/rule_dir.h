/* Rules of the operator: the files of rules.d, checked once and read again when they change. */
#ifndef LOCI_RULE_DIR_H
#define LOCI_RULE_DIR_H

#include "ctx.h"

/* What of them works, one after another by name; "" where there are none. mark: another one whenever they are. */
err rule_dir_load(struct ctx *c, const char *shipped, const char **text, uint32_t *mark);

#endif
