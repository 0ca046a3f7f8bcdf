/* The operations of vectors that callers bring, and of their models. */
#include "graph_calls.h"
#include "vector.h"

#define TAG .tag = "vectors"

static const struct field VECTOR_OUT[] = {
    F_UUID(struct vector, node_id, 0, "the node"),
    F_UUID(struct vector, model_id, 0, "the model"),
    F_STR(struct vector, model, 0, 0, LIMIT_NAME, "name of the model"),
    F_INT(struct vector, dim, 0, 1, LIMIT_VECTOR_DIM, 1, "dimensions"),
    F_NUMS(struct vector, values, 0, 1, LIMIT_VECTOR_DIM, "the values as float32"),
    F_NUM(struct vector, norm, 0, 0, 1e30, 0, "Euclidean length"),
    F_BOOL(struct vector, is_stale, 0, false, "stale: the content of the node has changed since"),
    F_TIME(struct vector, updated_at, 0, "when it was written"),
    F_END
};

struct put_in {
    struct uuid id;
    const char *model;
    struct nums values;
};

static const struct field PUT_IN[] = {
    F_UUID(struct put_in, id, FIELD_REQUIRED, "id of the node"),
    F_STR(struct put_in, model, FIELD_REQUIRED, 1, LIMIT_NAME, "name of the model that computed it; registered at first use"),
    F_NUMS(struct put_in, values, FIELD_REQUIRED, 1, LIMIT_VECTOR_DIM, "values; the number of dimensions is fixed per model"),
    F_END
};

OP_CALL(VECTOR_PUT, struct put_in, struct vector, vector_put(c, in->id, in->model, in->values, out),
        .name = "vector.put", .method = "PUT", .path = "/api/v1/nodes/:id/vector", TAG,
        .summary = "Stores a vector of a node, computed by a model of the caller.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
        OP_IN(PUT_IN, struct put_in), OP_OUT(VECTOR_OUT, struct vector));

struct which_in {
    struct uuid id;
    const char *model;
};

static const struct field WHICH_IN[] = {
    F_UUID(struct which_in, id, FIELD_REQUIRED, "id of the node"),
    F_STR(struct which_in, model, FIELD_REQUIRED | FIELD_QUERY, 1, LIMIT_NAME, "name of the model"),
    F_END
};

OP_CALL(VECTOR_GET, struct which_in, struct vector, vector_get(c, in->id, in->model, out),
        .name = "vector.get", .method = "GET", .path = "/api/v1/nodes/:id/vector", TAG,
        .summary = "Returns the vector of a node for one model.", .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_IN(WHICH_IN, struct which_in), OP_OUT(VECTOR_OUT, struct vector));

OP_CALL(VECTOR_DELETE, struct which_in, void, vector_delete(c, in->id, in->model),
        .name = "vector.delete", .method = "DELETE", .path = "/api/v1/nodes/:id/vector", TAG,
        .summary = "Deletes a vector that a caller stored.", .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_NO_BODY,
        OP_IN(WHICH_IN, struct which_in));

/* ---- models */

static const struct field MODEL_OUT[] = {
    F_UUID(struct embedding_model, id, 0, "id of the model"),
    F_STR(struct embedding_model, provider, 0, 0, 32, "provider of its vectors: builtin, http or client"),
    F_STR(struct embedding_model, name, 0, 0, LIMIT_NAME, "name of the model"),
    F_INT(struct embedding_model, dim, 0, 1, LIMIT_VECTOR_DIM, 1, "dimensions of a vector"),
    F_STR(struct embedding_model, state, 0, 0, 16, "active, building or retired"),
    F_TIME(struct embedding_model, created_at, 0, "when it was registered"),
    F_END
};

struct list_in {
    int64_t limit;
    const char *cursor;
};

static const struct field LIST_IN[] = {
    F_PAGE(struct list_in),
    F_END
};

OP_CALL(MODEL_LIST, struct list_in, struct page, vector_models(c, in->limit, in->cursor, out),
        .name = "model.list", .method = "GET", .path = "/api/v1/models", TAG,
        .summary = "Lists the embedding models of the account.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct list_in), OP_OUT(MODEL_OUT, struct embedding_model));

const struct op *const vector_calls_table[] = {&VECTOR_PUT, &VECTOR_GET, &VECTOR_DELETE, &MODEL_LIST, NULL};
