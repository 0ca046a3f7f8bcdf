/* What means nearly the same as a text that is not stored yet: for those who write memory. */
#ifndef LOCI_NEAR_TEXT_H
#define LOCI_NEAR_TEXT_H

#include <stddef.h>

#include "ctx.h"

struct near_text {
    struct uuid id;
    double similarity; /* calibrated */
};

/* The k live nodes of the kind, in these of the caller's spaces, whose vectors are nearest, best first; out has room for k.
 * None where no model answers in time. By the index: the caller looks at the rows. Not inside a transaction. */
err near_text_find(struct ctx *c, const char *text, const char *kind, const struct uuid *spaces, size_t n_spaces, size_t k,
                   struct near_text *out, size_t *n);

#endif
