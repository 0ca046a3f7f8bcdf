/* Vectors that callers bring; see vector.h. */
#include "vector.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "audit.h"
#include "db.h"
#include "limit.h"
#include "node.h"
#include "simd.h"
#include "vector_store.h"

static err no_vector(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "the node has no vector of this model");
}

/* ---- numbers */

static err to_floats(struct ctx *c, struct nums values, float **out, float *norm)
{
    float *v = ARENA_ARRAY(c->arena, float, values.n + 1);
    float square;

    if (values.n == 0 || values.n > LIMIT_VECTOR_DIM)
        return fail_field(c, "/values", "values must be 1 to %d numbers", LIMIT_VECTOR_DIM);
    for (size_t i = 0; i < values.n; i++) {
        v[i] = (float)values.v[i];
        if (!isfinite(v[i]))
            return fail_field(c, arena_printf(c->arena, "/values/%zu", i), "the number is too large for a float32");
    }
    square = c->app->simd->dot_f32(v, v, values.n);
    if (!isfinite(square) || !(square > 0))
        return fail_field(c, "/values", "the vector has a length of zero or too large for float32");
    *norm = sqrtf(square);
    *out = v;
    return ERR_OK;
}

/* ---- models */

static err add_model(struct ctx *c, const char *name, size_t dim, struct embedding_model *out)
{
    struct json *after = json_obj(c->arena);
    struct embedding_model m = {.id = uuid_new(c->now.us), .provider = "client", .name = name, .dim = (int64_t)dim,
                                .state = "active", .created_at = c->now};
    bool found;
    err e = vector_store_add_model(c, &m);

    if (e == ERR_CONFLICT && db_was_duplicate(c)) { /* somebody was quicker */
        ctx_forgive(c);
        TRY(vector_store_model(c, name, true, &found, out));
        return found ? ERR_OK : fail(c, ERR_CONFLICT, "the model is being registered by another request; try again");
    }
    TRY(e);
    json_set_str(c->arena, after, "name", name);
    json_set_int(c->arena, after, "dim", m.dim);
    *out = m;
    return audit_add(c, &(struct audit){.kind = "model.create", .subject_kind = "model", .subject_id = m.id, .after = after});
}

err vector_models(struct ctx *c, int64_t limit, const char *cursor, struct page *out)
{
    struct embedding_model *rows;
    struct uuid before;
    size_t n;

    TRY(page_begin(c, cursor, &before));
    TRY(vector_store_models(c, limit, before, &rows, &n));
    PAGE_END(c, out, rows, n, limit, struct embedding_model, id);
    return ERR_OK;
}

err vector_model_name(struct ctx *c, struct uuid id, const char **name)
{
    return vector_store_model_name(c, id, name);
}

/* ---- vectors */

struct putting {
    const struct node *node;
    const char *model_name;
    const float *v;
    size_t dim;
    float norm;
    struct embedding_model model;
};

static err vector_changed(struct ctx *c, const char *verb, const struct node *node, const struct embedding_model *m)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "model", m->name);
    return audit_add(c, &(struct audit){.kind = verb, .subject_kind = "node", .subject_id = node->id,
                                        .space_id = node->space_id, .payload = payload, .is_news = true});
}

static err vector_put_body(struct ctx *c, void *arg)
{
    struct putting *p = arg;
    bool found;

    TRY(vector_store_model(c, p->model_name, true, &found, &p->model));
    if (!found)
        TRY(add_model(c, p->model_name, p->dim, &p->model));
    if ((size_t)p->model.dim != p->dim)
        return fail_field(c, "/values", "vectors of the model '%s' have %lld numbers, not %zu", p->model_name,
                          (long long)p->model.dim, p->dim);
    TRY(vector_store_put(c, p->node->id, &p->model,
                         &(struct vector_row){.data = vector_blob(c->arena, p->model.id, p->v, p->dim, p->norm),
                                              .text_hash = p->node->content_hash, .updated_at = c->now}));
    return vector_changed(c, "vector.put", p->node, &p->model);
}

err vector_put(struct ctx *c, struct uuid node_id, const char *model, struct nums values, struct vector *out)
{
    struct node node;
    struct putting p = {.node = &node, .model_name = model, .dim = values.n};
    float *v = NULL;

    TRY(to_floats(c, values, &v, &p.norm));
    p.v = v;
    TRY(node_get(c, node_id, &node));
    TRY(access_require(c, node.space_id, ACCESS_WRITE));
    if (strcmp(node.status, NODE_VERSION) == 0)
        return fail(c, ERR_CONFLICT, "this is an old version; old versions cannot be changed");
    TRY(db_tx(c, vector_put_body, &p));
    *out = (struct vector){.node_id = node_id, .model_id = p.model.id, .model = p.model.name, .dim = p.model.dim, .values = values,
                           .norm = (double)p.norm, .updated_at = c->now};
    return ERR_OK;
}

static struct nums to_numbers(struct ctx *c, const float *v, size_t n)
{
    struct nums out = {ARENA_ARRAY(c->arena, double, n + 1), n};

    for (size_t i = 0; i < n; i++)
        out.v[i] = (double)v[i];
    return out;
}

err vector_get(struct ctx *c, struct uuid node_id, const char *model, struct vector *out)
{
    struct embedding_model m = {0};
    struct vector_row row = {0};
    struct node node;
    struct uuid model_id;
    const float *v;
    size_t dim;
    float norm;
    bool found;

    TRY(node_get(c, node_id, &node));
    TRY(vector_store_model(c, model, false, &found, &m));
    if (found)
        TRY(vector_store_get(c, node_id, m.id, &found, &row));
    if (!found || !row.data.n)
        return no_vector(c);
    if (!vector_read_blob(c->arena, row.data, &model_id, &v, &dim, &norm))
        return fail(c, ERR_INTERNAL, "the stored vector of node %s cannot be read", UUID_STR(node_id));
    *out = (struct vector){.node_id = node_id, .model_id = m.id, .model = m.name, .dim = (int64_t)dim,
                           .values = to_numbers(c, v, dim), .norm = (double)norm, .updated_at = row.updated_at,
                           .is_stale = row.text_hash.n != NODE_HASH || memcmp(row.text_hash.p, node.content_hash.p, NODE_HASH) != 0};
    return ERR_OK;
}

struct deleting {
    const struct node *node;
    const char *model_name;
};

static err vector_delete_body(struct ctx *c, void *arg)
{
    const struct deleting *d = arg;
    struct embedding_model m = {0};
    bool found;

    TRY(vector_store_model(c, d->model_name, true, &found, &m));
    if (found)
        TRY(vector_store_delete(c, d->node->id, m.id, &found));
    return found ? vector_changed(c, "vector.delete", d->node, &m) : no_vector(c);
}

err vector_delete(struct ctx *c, struct uuid node_id, const char *model)
{
    struct node node;
    struct deleting d = {&node, model};

    TRY(node_get(c, node_id, &node));
    TRY(access_require(c, node.space_id, ACCESS_WRITE));
    return db_tx(c, vector_delete_body, &d);
}

/* ---- computed ones */

struct adding {
    struct embedding_model m;
};

static err add_body(struct ctx *c, void *arg)
{
    struct adding *a = arg;
    struct embedding_model known = {0};
    struct json *after = json_obj(c->arena);
    bool found;

    TRY(vector_store_model_of(c, a->m.provider, a->m.name, &found, &known));
    if (found) {
        if (known.dim != a->m.dim)
            return fail(c, ERR_CONFLICT, "vectors of the model '%s' have %lld numbers, not %lld", a->m.name, (long long)known.dim,
                        (long long)a->m.dim);
        a->m = known;
        return ERR_OK;
    }
    a->m.id = uuid_new(c->now.us);
    a->m.created_at = c->now;
    TRY(vector_store_add_model(c, &a->m));
    json_set_str(c->arena, after, "provider", a->m.provider);
    json_set_str(c->arena, after, "name", a->m.name);
    json_set_int(c->arena, after, "dim", a->m.dim);
    return audit_add(c, &(struct audit){.kind = "model.create", .subject_kind = "model", .subject_id = a->m.id, .after = after});
}

err vector_model_add(struct ctx *c, const struct embedding_model *in, struct embedding_model *out)
{
    struct adding a = {*in};
    err e = db_tx(c, add_body, &a);

    if (e == ERR_CONFLICT && db_was_duplicate(c)) { /* somebody was quicker, and what they added is seen now */
        ctx_forgive(c);
        e = db_tx(c, add_body, &a);
    }
    if (e == ERR_OK)
        *out = a.m;
    return e;
}

/* The row of a node that was tried and has nothing to embed. */
static const struct bytes NO_VECTOR = {"", 0};

struct storing {
    const struct embedding_model *m;
    const char *precision;
    struct vector_new *v;
    struct bytes *blobs;
    bool *unchanged;
    size_t n;
    int64_t written;
};

static err store_body(struct ctx *c, void *arg)
{
    struct storing *s = arg;

    memset(s->unchanged, 0, s->n * sizeof *s->unchanged);
    memset(s->blobs, 0, s->n * sizeof *s->blobs);
    s->written = 0;
    TRY(vector_store_lock_unchanged(c, s->v, s->n, s->unchanged));
    for (size_t i = 0; i < s->n; i++) {
        if (s->unchanged[i])
            s->blobs[i] = s->v[i].values ? vector_blob(c->arena, s->m->id, s->v[i].values, (size_t)s->m->dim, 1) : NO_VECTOR;
        s->written += s->unchanged[i] && s->v[i].values;
    }
    return vector_store_put_many(c, s->m, s->precision, s->v, s->blobs, s->n);
}

static int vector_by_node(const void *a, const void *b)
{
    return uuid_cmp(((const struct vector_new *)a)->node_id, ((const struct vector_new *)b)->node_id);
}

err vector_put_computed(struct ctx *c, const struct embedding_model *m, const char *precision, const struct vector_new *v,
                        size_t n, int64_t *written)
{
    struct storing s = {.m = m, .precision = precision, .n = n, .v = ARENA_ARRAY(c->arena, struct vector_new, n + 1),
                        .blobs = ARENA_ARRAY(c->arena, struct bytes, n + 1), .unchanged = ARENA_ARRAY(c->arena, bool, n + 1)};

    *written = 0;
    if (!n)
        return ERR_OK;
    memcpy(s.v, v, n * sizeof *v);
    qsort(s.v, n, sizeof *s.v, vector_by_node); /* also so that two writers lock in the same order */
    TRY(db_tx(c, store_body, &s));
    *written = s.written;
    return ERR_OK;
}

err vector_copy(struct ctx *c, const struct uuid *from, const struct uuid *to, size_t n)
{
    assert(db_in_tx(c));
    return n ? vector_store_copy(c, from, to, n) : ERR_OK;
}

static err vector_drop_body(struct ctx *c, void *arg)
{
    return vector_store_delete_nodes(c, arg, 1);
}

err vector_drop_computed(struct ctx *c, struct uuid node_id)
{
    return db_tx(c, vector_drop_body, &node_id);
}
