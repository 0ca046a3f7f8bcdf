/* SQL of rot; only rot.c includes this. */
#ifndef LOCI_ROT_STORE_H
#define LOCI_ROT_STORE_H

#include "rot.h"

err rot_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* policies[i]: of the context of rows[i], as JSON. */
err rot_store_scan(struct ctx *c, struct uuid after, size_t max, struct rot_row *rows, const char **policies, size_t *n);
/* Those of ids that are in a snapshot younger than that, or that something live is derived from. */
err rot_store_spared(struct ctx *c, struct instant since, const struct uuid *ids, size_t n, struct uuid *spared, size_t *n_spared);

#endif
