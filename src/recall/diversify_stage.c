/* The stage that keeps hits from saying all the same. */
#include <string.h>

#include "diversify.h"
#include "recall_impl.h"
#include "str.h"

bool wants_diversify(const struct recall *r)
{
    return r->in->diversify != DIVERSIFY_NONE;
}

static double diversify_stage_likeness(const void *arg, size_t i, size_t j)
{
    const struct recall *r = arg;

    return recall_cosine(r, r->at[i].row, r->at[j].row);
}

/* What a node is a part of, by attrs.document_id. Attrs are read as text. */
static uint64_t document_of(struct arena *a, const struct candidate *k)
{
    const char *id = k->text ? json_get_str(json_opened(a, k->text->attrs), "document_id") : NULL;

    return id ? hash_bytes(id, strlen(id), 0) | 1 : 0;
}

static struct diverse_item diversify_stage_item_of(const struct recall *r, const struct candidate *k)
{
    struct row_at at = snapshot_at(r->index, k->row);

    return (struct diverse_item){k->score, at.in->session[at.r], document_of(r->c->arena, k)};
}

/* Puts the chosen first, in their order, and cuts the others. */
static void reorder(struct recall *r, const size_t *chosen, size_t n)
{
    struct candidate *at = ARENA_ARRAY(r->c->arena, struct candidate, r->n);
    bool *is_chosen = ARENA_ARRAY(r->c->arena, bool, r->n);
    size_t to = 0;

    for (size_t i = 0; i < n; i++) {
        at[to++] = r->at[chosen[i]];
        is_chosen[chosen[i]] = true;
    }
    for (size_t i = 0; i < r->n; i++)
        if (!is_chosen[i]) {
            at[to] = r->at[i];
            recall_cut(&at[to++], "not_diverse");
        }
    memcpy(r->at, at, r->n * sizeof *at);
    r->keep_order = true;
}

err stage_diversify(struct recall *r)
{
    static const struct recall_diversify_options DEFAULTS = {.lambda = 0.75};
    const struct recall_diversify_options *o = r->in->diversify_options ? r->in->diversify_options : &DEFAULTS;
    struct diverse_item items[RECALL_LIMIT];
    size_t chosen[RECALL_LIMIT], n;
    struct diverse_in in = {
        .items = items, .want = (size_t)r->in->limit, .lambda = o->lambda, .per_session = o->per_session,
        .per_document = o->per_document, .likeness = diversify_stage_likeness, .arg = r,
    };

    TRY(recall_texts(r, RECALL_LIMIT));
    for (in.n = 0; in.n < r->kept && in.n < RECALL_LIMIT; in.n++)
        items[in.n] = diversify_stage_item_of(r, &r->at[in.n]);
    n = diversify(r->c->arena, &in, chosen);
    if (r->n > 0)
        reorder(r, chosen, n);
    return ERR_OK;
}
