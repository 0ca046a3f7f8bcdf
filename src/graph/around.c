/* Neighbourhoods and ways; see around.h. */
#include "around.h"

#include <string.h>

#include "around_store.h"
#include "node.h"
#include "relation.h"

/* Nodes in the order in which they were found, with a table of their places. */
struct seen {
    struct around_node *nodes;
    size_t n, max;
    uint32_t *places; /* 1 + index, or 0 */
    size_t slots;
    bool is_cut; /* something was left out */
};

static struct seen seen_new(struct ctx *c, size_t max)
{
    struct seen s = {.max = max, .slots = 2};

    while (s.slots < 2 * max)
        s.slots *= 2;
    s.nodes = ARENA_ARRAY(c->arena, struct around_node, max + 1);
    s.places = ARENA_ARRAY(c->arena, uint32_t, s.slots);
    memset(s.places, 0, s.slots * sizeof *s.places);
    return s;
}

/* The slot of an id, or the free one where it would stand. */
static uint32_t *around_slot(const struct seen *s, struct uuid id)
{
    size_t i = (size_t)hash_bytes(&id, sizeof id, 0) & (s->slots - 1);

    while (s->places[i] && !uuid_eq(s->nodes[s->places[i] - 1].id, id))
        i = (i + 1) & (s->slots - 1);
    return &s->places[i];
}

static bool around_has(const struct seen *s, struct uuid id)
{
    return *around_slot(s, id) != 0;
}

static void around_add(struct seen *s, const struct around_node *n)
{
    uint32_t *place = around_slot(s, n->id);

    if (*place)
        return;
    if (s->n == s->max) {
        s->is_cut = true;
        return;
    }
    s->nodes[s->n++] = *n;
    *place = (uint32_t)s->n;
}

static err add_first(struct ctx *c, struct seen *s, struct uuid id)
{
    struct node_brief b = {0};

    TRY(node_briefs(c, &id, 1, &b));
    if (uuid_is_nil(b.id))
        return fail(c, ERR_NOT_FOUND, "no node %s", UUID_STR(id));
    around_add(s, &(struct around_node){.id = id, .kind = b.kind, .title = b.title});
    return ERR_OK;
}

/* What is one step further than the nodes from `first` on. */
static err add_level(struct ctx *c, struct seen *s, size_t first, const char *relation, const char *kind)
{
    size_t last = s->n, n = last - first;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    int depth = s->nodes[first].depth + 1;

    for (size_t i = 0; i < n; i++)
        ids[i] = s->nodes[first + i].id;
    for (int outward = 1; outward >= 0; outward--) {
        struct around_step *steps;
        size_t k;

        TRY(around_store_steps(c, ids, n, outward, relation, kind, AROUND_STEPS, &steps, &k));
        s->is_cut |= k == AROUND_STEPS;
        for (size_t i = 0; i < k; i++)
            around_add(s, &(struct around_node){.id = steps[i].far, .from = steps[i].near, .kind = steps[i].kind, .title = steps[i].title,
                                                .depth = depth});
    }
    return ERR_OK;
}

/* As it is stored. */
static const char *spelt(const char *relation)
{
    const struct relation *r = relation ? relation_find(relation) : NULL;

    return r ? r->name : relation;
}

static err around_add_edges(struct ctx *c, struct around *a, const char *relation)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, a->n + 1);

    for (size_t i = 0; i < a->n; i++)
        ids[i] = a->nodes[i].id;
    return around_store_among(c, ids, a->n, relation, AROUND_EDGES, &a->edges, &a->n_edges);
}

err around_find(struct ctx *c, const struct around_wish *w, struct around *out)
{
    struct seen s = seen_new(c, AROUND_SEEN);
    const char *relation = spelt(w->relation);
    size_t first = 0, end = 1;

    TRY(add_first(c, &s, w->id));
    for (int depth = 1; depth <= w->depth && first < s.n && s.n <= w->max; depth++, first = end, end = s.n)
        TRY(add_level(c, &s, first, relation, w->kind));
    *out = (struct around){.nodes = s.nodes, .n = s.n < w->max ? s.n : w->max, .known = s.n,
                           .has_more = s.is_cut || (s.n > w->max && s.nodes[s.n - 1].depth < w->depth)};
    return around_add_edges(c, out, relation);
}

/* From the end back to the beginning, then turned round. */
static void trace(struct ctx *c, const struct seen *s, struct uuid to, struct around *out)
{
    const struct around_node *n = &s->nodes[*around_slot(s, to) - 1];

    out->n = (size_t)n->depth + 1;
    out->nodes = ARENA_ARRAY(c->arena, struct around_node, out->n);
    for (size_t i = out->n; i-- > 0; n = i ? &s->nodes[*around_slot(s, n->from) - 1] : n)
        out->nodes[i] = *n;
    out->known = out->n;
}

err around_way(struct ctx *c, struct uuid from, struct uuid to, const char *relation, struct around *out)
{
    struct seen s = seen_new(c, AROUND_SEEN);
    struct node_brief end = {0};
    size_t first = 0;

    *out = (struct around){0};
    relation = spelt(relation);
    TRY(add_first(c, &s, from));
    TRY(node_briefs(c, &to, 1, &end));
    if (uuid_is_nil(end.id))
        return fail(c, ERR_NOT_FOUND, "no node %s", UUID_STR(to));
    for (int depth = 0; depth < AROUND_WAY && first < s.n && !around_has(&s, to); depth++) {
        size_t last = s.n;

        TRY(add_level(c, &s, first, relation, NULL));
        first = last;
    }
    if (!around_has(&s, to)) {
        out->has_more = s.is_cut || first < s.n;
        return ERR_OK;
    }
    trace(c, &s, to, out);
    return around_add_edges(c, out, relation);
}
