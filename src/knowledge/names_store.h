/* The rows of names; only names.c includes this. */
#ifndef LOCI_NAMES_STORE_H
#define LOCI_NAMES_STORE_H

#include "ctx.h"
#include "list.h"

struct name_row {
    const char *norm;
    struct uuid entity_id, chunk_id;
};

/* The rows of these names, which are in order; missing ones are made. Locked until the transaction ends. */
err names_store_lock(struct ctx *c, struct uuid space_id, const char *const *norms, size_t n, struct name_row *rows, size_t *found);
err names_store_set(struct ctx *c, struct uuid space_id, const struct name_row *rows, size_t n);
/* Names that waited with these chunks. */
err names_store_drop_waiting(struct ctx *c, const struct uuid *chunks, size_t n);

/* An entity that few chunks mention. */
struct name_thin {
    struct uuid entity_id, chunk_id; /* chunk_id nil: none holds it any more */
    const char *norm;
};
/* Those among these entities that at most one chunk mentions, not in its title, and nothing else holds: no other edge, no pin. */
err names_store_thin(struct ctx *c, struct uuid space_id, const struct uuid *entities, size_t n, struct list *out);
/* Communities whose summaries quote these chunks. */
err names_store_quoting(struct ctx *c, const struct uuid *chunks, size_t n, struct uuids *out);
/* Communities that hold a name which these chunks have. */
err names_store_grouping(struct ctx *c, const struct uuid *chunks, size_t n, struct uuids *out);
err names_store_drop(struct ctx *c, const struct uuid *entities, size_t n);
err names_store_move(struct ctx *c, struct uuid space_id, struct uuid from, struct uuid to, const char *const *norms, size_t n);

#endif
