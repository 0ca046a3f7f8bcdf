/* Packed indexes: an account that is not small is written as one segment, now and then, and read much faster than its nodes. */
#ifndef LOCI_INDEX_PACK_H
#define LOCI_INDEX_PACK_H

#include <stddef.h>

#include "ctx.h"

struct codec;
struct segment;

#define PACK_FROM_NODES 5000     /* read one by one, they take a tenth of a second */
#define PACK_OLD_US (2 * DAY_US) /* one that is older is not read: reading what changed since costs more */

/* ---- reading, chunk by chunk */

struct pack_reading;
/* *out NULL: there is none that can be used for that model and those languages. */
err index_pack_open(struct ctx *c, struct uuid model_id, const struct codec *codec, uint64_t languages,
                    struct pack_reading **out);
/* The next chunk. *done: *segment is the caller's, up to date as of *watermark. *done, and *segment NULL: it is damaged or gone
 * meanwhile; the nodes must be read. */
err index_pack_read(struct ctx *c, struct pack_reading *r, bool *done, struct segment **segment, int64_t *watermark);
void index_pack_close(struct pack_reading *r);
size_t index_pack_bytes(const struct pack_reading *r);

/* ---- writing */

/* Accounts that want to be packed, or packed anew. */
err index_pack_due(struct ctx *c, int64_t from_nodes, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Reads the caller's account into memory and writes it. *nodes 0: there is no pack, for it has no nodes, or some were erased
 * meanwhile. */
err index_pack_write(struct ctx *c, int64_t *nodes);
/* For struct app.nodes_erased: the caller's account has no pack then, and one that is being written will not be one. */
err index_pack_void(struct ctx *c);

#endif
