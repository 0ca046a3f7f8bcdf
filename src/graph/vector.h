/* Vectors: what a node means, for one embedding model. */
#ifndef LOCI_VECTOR_H
#define LOCI_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "list.h"
#include "page.h"
#include "str.h"

struct embedding_model {
    struct uuid id;
    const char *provider; /* builtin, http or client: who computes its vectors */
    const char *name;
    int64_t dim;
    const char *state; /* active, building or retired */
    struct instant created_at;
};

struct vector {
    struct uuid node_id, model_id;
    const char *model;
    int64_t dim;
    struct nums values;
    double norm;   /* Euclidean length */
    bool is_stale; /* the node's content has changed since */
    struct instant updated_at;
};

/* A vector that the caller computed. The model is registered at first use with the length of these values; another length
 * later, or one without length or with numbers no float32 holds: ERR_INVALID naming /values. */
err vector_put(struct ctx *c, struct uuid node_id, const char *model, struct nums values, struct vector *out);
err vector_get(struct ctx *c, struct uuid node_id, const char *model, struct vector *out);
err vector_delete(struct ctx *c, struct uuid node_id, const char *model);
err vector_models(struct ctx *c, int64_t limit, const char *cursor, struct page *out);

/* How the model is called; NULL: there is none of that id. */
err vector_model_name(struct ctx *c, struct uuid id, const char **name);

/* ---- vectors that we compute: no caller's, so the gate is not asked and nothing is published */

/* Registers a model with provider, name, dim and state of in; one that is there already keeps its id, and ERR_CONFLICT says
 * that its vectors have another length. */
err vector_model_add(struct ctx *c, const struct embedding_model *in, struct embedding_model *out);

struct vector_new {
    struct uuid node_id;
    struct bytes text_hash; /* content_hash of the node when its text was read */
    const float *values;    /* of unit length; NULL: known to have none, which is kept, too */
};
/* Stores those whose node still has that content; *written: how many. */
err vector_put_computed(struct ctx *c, const struct embedding_model *m, const char *precision, const struct vector_new *v,
                        size_t n, int64_t *written);

/* So that it is made again; past the gate, of all models. */
err vector_drop_computed(struct ctx *c, struct uuid node_id);

/* Inside the caller's transaction: to[i] gets the vectors of from[i], of all models, where both have the same content. */
err vector_copy(struct ctx *c, const struct uuid *from, const struct uuid *to, size_t n);

/* ---- the blob: magic, model, dim, norm, then dim little-endian float32 */

#define VECTOR_HEADER 28
struct bytes vector_blob(struct arena *a, struct uuid model_id, const float *v, size_t dim, float norm);
/* false: not such a blob. *v may lie in it, or is a copy in the arena. */
bool vector_read_blob(struct arena *a, struct bytes blob, struct uuid *model_id, const float **v, size_t *dim, float *norm);

#endif
