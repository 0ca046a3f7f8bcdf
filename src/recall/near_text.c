/* A text's vector against the index; see near_text.h. */
#include "near_text.h"

#include "access.h"
#include "index.h"
#include "nearest.h"
#include "query_vector.h"
#include "vector_models.h"

static err near_text_search(struct ctx *c, const struct snapshot *in, const struct query_vector *v,
                  const struct filter_in *wanted, size_t k, struct nearest_hits *out)
{
    struct nearest nearest;
    struct filter f;

    filter_make(c->arena, in, wanted, &f);
    TRY(nearest_begin(c, in, v->model_id, v->values, v->dim, &nearest));
    return nearest_find(c, &nearest, &f, k, 0, true, out);
}

err near_text_find(struct ctx *c, const char *text, const char *kind, const struct uuid *spaces,
                   size_t n_spaces, size_t k, struct near_text *out, size_t *n)
{
    struct filter_in wanted = { .readable = c->access->readable,
                                .n_readable = c->access->n,
                                .spaces = spaces,
                                .n_spaces = n_spaces,
                                .kinds = 1ull << segment_kind(kind),
                                .now = c->now.us };
    const struct snapshot *in;
    struct model_profile model;
    struct nearest_hits hits;
    struct query_vector v;
    const char *degraded;

    *n = 0;
    TRY(index_snapshot(c, &in, &degraded));
    TRY(query_vectors(c, in->model_id, &text, 1, &v));
    if (!v.values || !n_spaces)
        return ERR_OK;
    TRY(near_text_search(c, in, &v, &wanted, k, &hits));
    TRY(model_profile(c, &model));
    for (; *n < hits.n; ++*n)
        out[*n] = (struct near_text){ snapshot_id(in, hits.at[*n].row),
                                      model_calibrated(&model, (double)hits.at[*n].score) };
    return ERR_OK;
}
