/* SQL of an account's rules; only rule_set.c includes this. */
#ifndef LOCI_RULE_SET_STORE_H
#define LOCI_RULE_SET_STORE_H

#include "rule_set.h"

/* version 0: there are none. */
err rule_set_store_get(struct ctx *c, const char **body, const char **active, int64_t *version);
err rule_set_store_put(struct ctx *c, const char *body, const char *active);

#endif
