/* Which rows count, and what is known of them. */
#ifndef LOCI_SPARSE_SCOPE_H
#define LOCI_SPARSE_SCOPE_H

#include "sparse_list.h"

/* Rows of a scope, and their lengths together, in halves. */
struct totals {
    uint64_t rows, length;
};

/* scope NULL: every row of s, here and below. Adds to *t. */
void scope_totals(const struct sparse *s, const struct sparse_scope *scope, struct totals *t);
/* The rows of l that count. */
uint64_t scope_count(struct sparse_scope *scope, const struct list *l);

#endif
