/* What follows from memories; see derived.h. */
#include "derived.h"

#include <stdlib.h>
#include <string.h>

#include "derived_store.h"

/* Ids in their order, and those among them whose children were not looked for yet. */
struct closing {
    struct uuid *ids, *fresh;
    size_t n, n_fresh, n_spared;
    bool for_erase;
};

static int derived_by_id(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

static int derived_node_by_id(const void *a, const void *b)
{
    return uuid_cmp(((const struct derived_node *)a)->id, ((const struct derived_node *)b)->id);
}

static bool closing_has(const struct closing *k, struct uuid id)
{
    return k->n && bsearch(&id, k->ids, k->n, sizeof id, derived_by_id);
}

/* Those among the ids that are new; they are fresh next time. */
static err closing_add(struct ctx *c, struct closing *k, const struct uuid *ids, size_t n)
{
    size_t kept = 0;

    if (k->n + n > DERIVED_MAX)
        n = DERIVED_MAX + 1 - (k->n < DERIVED_MAX ? k->n : DERIVED_MAX);
    for (size_t i = 0; i < n; i++)
        if (!closing_has(k, ids[i]))
            k->fresh[k->n_fresh++] = ids[i];
    if (k->n_fresh)
        qsort(k->fresh, k->n_fresh, sizeof *k->fresh, derived_by_id);
    for (size_t i = 0; i < k->n_fresh; i++)
        if (!kept || !uuid_eq(k->fresh[kept - 1], k->fresh[i]))
            k->fresh[kept++] = k->fresh[i];
    k->n_fresh = kept;
    if (k->n + k->n_fresh > DERIVED_MAX)
        return fail_reason(c, ERR_CONFLICT, "too_many", "more than %d memories follow from these; take fewer at once", DERIVED_MAX);
    return ERR_OK;
}

static void closing_take_fresh(struct closing *k)
{
    if (!k->n_fresh)
        return;
    memcpy(k->ids + k->n, k->fresh, k->n_fresh * sizeof *k->ids);
    k->n += k->n_fresh;
    qsort(k->ids, k->n, sizeof *k->ids, derived_by_id);
}

/* Goes: its sources are all among these. pairs: sources of all candidates. */
static bool stands_alone(const struct closing *k, struct uuid id, const struct list *pairs)
{
    const struct derived_pair *p = pairs->v;

    for (size_t i = 0; i < pairs->n; i++)
        if (uuid_eq(p[i].child, id) && !closing_has(k, p[i].source))
            return false;
    return true;
}

static err closing_add_orphans(struct ctx *c, struct closing *k, const struct list *candidates, const struct list *pairs)
{
    const struct uuid *ids = candidates->v;
    struct uuid *gone = ARENA_ARRAY(c->arena, struct uuid, candidates->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < candidates->n; i++) {
        if (closing_has(k, ids[i]))
            continue;
        if (stands_alone(k, ids[i], pairs))
            gone[n++] = ids[i];
        else
            k->n_spared++;
    }
    return closing_add(c, k, gone, n);
}

static err closing_add_children(struct ctx *c, struct closing *k, const struct uuid *ids, size_t n)
{
    struct list children, pairs;

    TRY(derived_store_children(c, ids, n, &children));
    for (size_t i = 0; i < children.n; i += DERIVED_AT_ONCE) {
        struct list some = {(struct uuid *)children.v + i, children.n - i < DERIVED_AT_ONCE ? children.n - i : DERIVED_AT_ONCE};

        TRY(derived_store_sources(c, some.v, some.n, k->for_erase, &pairs));
        TRY(closing_add_orphans(c, k, &some, &pairs));
    }
    return ERR_OK;
}

static err closing_add_parts(struct ctx *c, struct closing *k, const struct uuid *ids, size_t n)
{
    struct list parts, entities, pairs;

    if (!k->for_erase)
        return ERR_OK;
    TRY(derived_store_parts(c, ids, n, &parts));
    TRY(closing_add(c, k, parts.v, parts.n));
    TRY(derived_store_entities(c, ids, n, &entities));
    for (size_t i = 0; i < entities.n; i += DERIVED_AT_ONCE) {
        struct list some = {(struct uuid *)entities.v + i, entities.n - i < DERIVED_AT_ONCE ? entities.n - i : DERIVED_AT_ONCE};

        TRY(derived_store_mentions(c, some.v, some.n, &pairs));
        TRY(closing_add_orphans(c, k, &some, &pairs));
    }
    return ERR_OK;
}

/* What is spared now may go when more has gone, so all of it is looked at in each round. */
static err closing_round(struct ctx *c, struct closing *k)
{
    closing_take_fresh(k);
    k->n_fresh = k->n_spared = 0;
    for (size_t i = 0; i < k->n; i += DERIVED_AT_ONCE) {
        size_t n = k->n - i < DERIVED_AT_ONCE ? k->n - i : DERIVED_AT_ONCE;

        TRY(closing_add_children(c, k, k->ids + i, n));
        TRY(closing_add_parts(c, k, k->ids + i, n));
    }
    return ERR_OK;
}

static err derived_load(struct ctx *c, const struct closing *k, struct derived *out)
{
    *out = (struct derived){.nodes = ARENA_ARRAY(c->arena, struct derived_node, k->n + 1), .n_spared = k->n_spared};
    for (size_t i = 0; i < k->n; i += DERIVED_AT_ONCE) {
        struct list some;

        TRY(derived_store_nodes(c, k->ids + i, k->n - i < DERIVED_AT_ONCE ? k->n - i : DERIVED_AT_ONCE, &some));
        if (some.n)
            memcpy(out->nodes + out->n, some.v, some.n * sizeof *out->nodes);
        out->n += some.n;
    }
    if (out->n)
        qsort(out->nodes, out->n, sizeof *out->nodes, derived_node_by_id);
    return ERR_OK;
}

err derived_find(struct ctx *c, const struct uuid *roots, size_t n, bool for_erase, struct derived *out)
{
    struct closing k = {.for_erase = for_erase, .ids = ARENA_ARRAY(c->arena, struct uuid, DERIVED_MAX + 1),
                        .fresh = ARENA_ARRAY(c->arena, struct uuid, 2 * DERIVED_MAX + 2)};

    TRY(closing_add(c, &k, roots, n));
    for (int depth = 0; k.n_fresh; depth++) {
        if (depth == DERIVED_DEPTH)
            return fail_reason(c, ERR_CONFLICT, "too_deep", "what follows from these reaches more than %d steps", DERIVED_DEPTH);
        TRY(closing_round(c, &k));
    }
    return derived_load(c, &k, out);
}
