/* What was asked about and is a node now; see near_pairs.h. */
#include <string.h>

#include "near_pairs.h"
#include "node_vectors.h"
#include "vectors_store.h"

static const struct near_said *said_by(const struct near_said *said, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (said[i].vector && uuid_eq(said[i].became, id))
            return &said[i];
    return NULL;
}

err near_said_keep(struct ctx *c, const struct near_said *said, size_t n)
{
    struct vector_new *v = ARENA_ARRAY(c->arena, struct vector_new, n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t n_ids = 0, n_due, k = 0;
    const char *precision = NULL;
    struct vector_models all;
    struct due_text *due;
    int64_t written;

    TRY(vector_models_read(c, &all));
    for (size_t i = 0; i < n; i++)
        if (said[i].vector && uuid_eq(said[i].model_id, all.active.row.id) && !uuid_is_nil(said[i].became))
            ids[n_ids++] = said[i].became;
    if (!n_ids)
        return ERR_OK;
    TRY(vectors_store_due(c, all.active.row.id, ids, n_ids, &due, &n_due));
    for (size_t i = 0; i < n_due; i++) {
        const struct near_said *by = said_by(said, n, due[i].id);

        if (!by || strcmp(vectors_text(c->arena, &due[i]), by->text) != 0)
            continue;
        precision = by->precision;
        v[k++] = (struct vector_new){.node_id = due[i].id, .text_hash = due[i].content_hash, .values = by->vector};
    }
    c->now = clock_now();                /* who follows changes looks at instants */
    return vector_put_computed(c, &all.active.row, precision, v, k, &written);
}
