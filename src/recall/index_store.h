/* SQL of the index: rows as they are indexed, and what changed since. */
#ifndef LOCI_INDEX_STORE_H
#define LOCI_INDEX_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"
#include "edge_set.h"
#include "segment.h"

/* Told of each row, in the order of ids; what it points to lives as long as the arena of c. */
typedef void index_row_fn(void *arg, const struct index_row *row);
typedef void index_edge_fn(void *arg, const struct edge_row *edge, const char *relation);

/* The model whose vectors the index of the account holds; nil and 0: none. */
err index_store_model(struct ctx *c, struct uuid *model_id, int64_t *dim);

/* Told of each space that says what language its nodes are in. *print differs when any of that does. */
typedef void index_language_fn(void *arg, struct uuid space_id, const char *tag);
err index_store_languages(struct ctx *c, index_language_fn *tell, void *arg, uint64_t *print);

/* At most limit nodes behind `after`, each with its vector of that model. *last is the last one's id. */
err index_store_nodes(struct ctx *c, struct uuid model_id, struct uuid after, int64_t limit, index_row_fn *tell, void *arg,
                      int64_t *n, struct uuid *last);
err index_store_edges(struct ctx *c, struct uuid after, int64_t limit, index_edge_fn *tell, void *arg, int64_t *n,
                      struct uuid *last);
/* Those of ids that there are; ids ascend. */
err index_store_nodes_of(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, index_row_fn *tell, void *arg);
err index_store_edges_of(struct ctx *c, const struct uuid *ids, size_t n, index_edge_fn *tell, void *arg);

/* The float32 vectors of those nodes, in any order. */
typedef void index_vector_fn(void *arg, struct uuid node_id, const float *vector, size_t dim);
err index_store_vectors(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, index_vector_fn *tell, void *arg);

enum changed { CHANGED_NODE, CHANGED_VECTOR, CHANGED_EDGE };
struct change {
    enum changed what;
    struct uuid id;              /* of the node, or of the edge */
    struct uuid model_id;        /* of a vector */
    int64_t updated, version;    /* version: not of a vector */
};
/* What says that it was changed after since: answered from indexes alone. *now: MariaDB's clock when it was asked. */
err index_store_changes(struct ctx *c, struct instant since, struct change **out, size_t *n, struct instant *now);
/* The clock of MariaDB. */
err index_store_now(struct ctx *c, struct instant *now);

#endif
