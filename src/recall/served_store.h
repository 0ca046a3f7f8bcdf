/* Redis commands of served.c. */
#ifndef LOCI_SERVED_STORE_H
#define LOCI_SERVED_STORE_H

#include "ctx.h"

struct served_row {
    uint64_t hash;
    struct uuid node_id;
};

/* In loci:{account}:served:<principal>, hashes by the second they were served in, and beside it (…:of) the node of each. The
 * answer of a recall does not wait until Redis has them. */
err served_store_put(struct ctx *c, struct uuid principal_id, const struct served_row *rows, size_t n);
/* Fills the node of each hash that was served within SERVED_SECONDS; nil: it was not. */
err served_store_find(struct ctx *c, struct uuid principal_id, struct served_row *rows, size_t n);

#endif
