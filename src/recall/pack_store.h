/* SQL of packed indexes. */
#ifndef LOCI_PACK_STORE_H
#define LOCI_PACK_STORE_H

#include "ctx.h"
#include "str.h"

struct pack_head {
    struct uuid generation, model_id; /* model_id nil: it holds no vectors */
    int64_t fingerprint, languages, nodes, parts;
    struct instant watermark;
    struct bytes meta;
};

err pack_store_head(struct ctx *c, bool *found, struct pack_head *out);
err pack_store_part(struct ctx *c, struct uuid generation, int64_t part, bool *found, struct bytes *data, int64_t *checksum);

err pack_store_put_part(struct ctx *c, struct uuid generation, int64_t part, struct bytes data, int64_t checksum);
/* A head that nobody can read, where there is none yet. */
err pack_store_claim(struct ctx *c, struct uuid generation);
/* Only if the head is still the one of generation `before`; else *put is false. */
err pack_store_put_head(struct ctx *c, struct uuid before, const struct pack_head *h, bool *put);
/* All chunks go, and the head becomes one that nobody can read. */
err pack_store_void(struct ctx *c, struct uuid generation);
/* Removes up to 100 chunks of other generations; *n of them. */
err pack_store_drop_others(struct ctx *c, struct uuid generation, int64_t *n);

/* Accounts above `above`, ascending, at most max, with from nodes or more and no pack, or one that is of another program,
 * from before `old`, or of which one node in twenty has changed since. */
err pack_store_due(struct ctx *c, int64_t from, int64_t fingerprint, struct instant old, struct uuid above, struct uuid *ids,
                   size_t max, size_t *n);

#endif
