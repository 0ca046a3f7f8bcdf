/* The rows of vectors and their models; only vector.c and node_many.c include this. */
#ifndef LOCI_VECTOR_STORE_H
#define LOCI_VECTOR_STORE_H

#include "vector.h"

/* Of several models of one name the one whose vectors clients bring comes first. */
err vector_store_model(struct ctx *c, const char *name, bool clients_only, bool *found, struct embedding_model *out);
err vector_store_add_model(struct ctx *c, const struct embedding_model *m);
err vector_store_models(struct ctx *c, int64_t limit, struct uuid before, struct embedding_model **rows, size_t *n);

err vector_store_model_of(struct ctx *c, const char *provider, const char *name, bool *found, struct embedding_model *out);

err vector_store_model_name(struct ctx *c, struct uuid id, const char **name);

struct vector_row {
    struct bytes data, text_hash;
    struct instant updated_at;
};
err vector_store_put(struct ctx *c, struct uuid node_id, const struct embedding_model *m, const struct vector_row *row);
err vector_store_get(struct ctx *c, struct uuid node_id, struct uuid model_id, bool *found, struct vector_row *out);
err vector_store_delete(struct ctx *c, struct uuid node_id, struct uuid model_id, bool *done);

/* The nodes among them whose content is still the one of text_hash, locked against change until the transaction ends. */
err vector_store_lock_unchanged(struct ctx *c, const struct vector_new *v, size_t n, bool *unchanged);
/* blobs[i] for v[i]; those that are NULL are left out. */
err vector_store_put_many(struct ctx *c, const struct embedding_model *m, const char *precision, const struct vector_new *v,
                          const struct bytes *blobs, size_t n);
err vector_store_copy(struct ctx *c, const struct uuid *from, const struct uuid *to, size_t n);
/* Of all models. */
err vector_store_delete_nodes(struct ctx *c, const struct uuid *ids, size_t n);

#endif
