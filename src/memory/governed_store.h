/* SQL of spaces by their owners; governed.c, and the stores of what it governs, include this. */
#ifndef LOCI_GOVERNED_STORE_H
#define LOCI_GOVERNED_STORE_H

#include "db.h"

/* nil: no agent's, or not there. */
err governed_store_owner(struct ctx *c, struct uuid space_id, struct uuid *owner);
/* Each once; owners has room for n. */
err governed_store_owners(struct ctx *c, const struct uuid *spaces, size_t n, struct uuid *owners, size_t *n_owners);
/* Joins the space p of a row, for governed_store_add(): which are the caller's to govern. */
#define GOVERNED_SPACE(alias) " JOIN space p ON p.account_id = " alias ".account_id AND p.id = " alias ".space_id AND p.deleted_at IS NULL "
void governed_store_add(const struct ctx *c, struct sql *s);

#endif
