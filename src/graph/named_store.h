/* The rows that have a name; only named.c includes this. */
#ifndef LOCI_NAMED_STORE_H
#define LOCI_NAMED_STORE_H

#include "ctx.h"

struct named_row {
    struct uuid id;
    int kind;
};

/* Spaces of any kind that have the slug. */
err named_store_spaces(struct ctx *c, const char *slug, struct named_row *rows, size_t max, size_t *n);

#endif
