/* SQL of the index: rows as they are indexed, and what changed since. */
#ifndef LOCI_INDEX_STORE_H
#define LOCI_INDEX_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"
#include "edge_set.h"
#include "segment.h"

struct db_later;

/* The model whose vectors the index of the account holds; nil and 0: none. */
err index_store_model(struct ctx *c, struct uuid *model_id, int64_t *dim);

/* Tells `to` (NULL: nobody) of each space that says what language its nodes are in. *print differs when any of that does. */
err index_store_languages(struct ctx *c, struct segment_builder *to, uint64_t *print);

/* At most limit nodes behind `after` in the order of ids, each with its vector of that model. What rows point to is in the
 * arena. */
err index_store_nodes(struct ctx *c, struct uuid model_id, struct uuid after, size_t limit, struct index_row *rows, size_t *n);
err index_store_edges(struct ctx *c, struct uuid after, int64_t limit, struct edge_builder *to, int64_t *n,
                      struct uuid *last);
/* Those of ids that there are; ids ascend. */
err index_store_nodes_of(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, struct index_row *rows,
                         size_t *n_rows);
err index_store_edges_of(struct ctx *c, const struct uuid *ids, size_t n, struct edge_builder *to);

/* The float32 vectors of those nodes, in any order. */
typedef void index_vector_fn(void *arg, struct uuid node_id, const float *vector, size_t dim);
err index_store_vectors(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, index_vector_fn *tell, void *arg);

/* Those of all nodes behind `after`, at most limit of them, in the order of ids. *last is the last one's. */
err index_store_all_vectors(struct ctx *c, struct uuid model_id, struct uuid after, int64_t limit, index_vector_fn *tell,
                            void *arg, int64_t *n, struct uuid *last);

enum changed { CHANGED_NODE, CHANGED_VECTOR, CHANGED_EDGE };
struct change {
    enum changed what;
    struct uuid id;           /* of the node, or of the edge */
    struct uuid model_id;     /* of a vector */
    int64_t updated, version; /* version: not of a vector */
};
/* Asks what says that it was changed after since, and which vectors were: answered from indexes alone. *now: MariaDB's clock when
 * it was asked. */
void index_store_ask(struct ctx *c, struct instant since, struct instant vectors_since, struct db_later *later);
err index_store_changes(struct ctx *c, const struct db_later *later, struct change **out, size_t *n, struct instant *now);
/* The clock of MariaDB. */
err index_store_now(struct ctx *c, struct instant *now);

#endif
