/* Pictures, chains and suggestions; see skill_bridge.h. */
#include "skill_bridge.h"

#include "db.h"
#include "edge.h"
#include "near_pairs.h"
#include "recommendation.h"
#include "skill_net.h"

/* ---- the picture */

static void skill_picture_reach(struct ctx *c, const struct skill_net *net, size_t middle, int64_t most, int64_t *depth)
{
    (void)c;
    for (size_t i = 0; i < net->n; i++)
        depth[i] = middle == SIZE_MAX ? 0 : -1;
    if (middle == SIZE_MAX)
        return;
    depth[middle] = 0;
    for (int64_t d = 0; d < most; d++)
        for (size_t e = 0; e < net->n_edges; e++) {
            size_t a = net->edges[e].source, b = net->edges[e].target;

            if (depth[a] == d && depth[b] < 0)
                depth[b] = d + 1;
            else if (depth[b] == d && depth[a] < 0)
                depth[a] = d + 1;
        }
}

err skill_picture(struct ctx *c, const struct skill_picture_wish *in, struct skill_picture *out)
{
    struct skill_picture_node *nodes = ARENA_ARRAY(c->arena, struct skill_picture_node, SKILL_PICTURE_NODES);
    struct skill_picture_edge *edges;
    struct skill_net net;
    struct skill s;
    int64_t *depth;
    bool *shown;
    size_t n = 0, n_edges = 0, middle = SIZE_MAX;

    *out = (struct skill_picture){0};
    TRY(skill_net_read(c, false, &net));
    if (!uuid_is_nil(in->skill_id)) {
        TRY(skill_get(c, in->skill_id, &s));
        middle = skill_net_place(&net, in->skill_id);
        if (middle == SIZE_MAX)
            return ERR_OK;
    }
    depth = arena_array(c->arena, net.n + 1, sizeof *depth);
    shown = arena_array(c->arena, net.n + 1, sizeof *shown);
    edges = arena_array(c->arena, net.n_edges + 1, sizeof *edges);
    skill_picture_reach(c, &net, middle, in->depth, depth);
    for (int64_t d = 0; d <= in->depth; d++)
        for (size_t i = 0; i < net.n; i++)
            if (depth[i] == d && n < SKILL_PICTURE_NODES) {
                const struct skill_net_node *k = &net.nodes[i];

                shown[i] = true;
                nodes[n++] = (struct skill_picture_node){k->id, k->name, k->slug, k->category, k->effectiveness_now, d};
            } else if (depth[i] == d)
                out->has_more = true;
    for (size_t e = 0; e < net.n_edges; e++)
        if (shown[net.edges[e].source] && shown[net.edges[e].target])
            edges[n_edges++] = (struct skill_picture_edge){net.edges[e].id, net.nodes[net.edges[e].source].id,
                net.nodes[net.edges[e].target].id, net.edges[e].relation, net.edges[e].weight};
    out->nodes = (struct list){nodes, n};
    out->edges = (struct list){edges, n_edges};
    return ERR_OK;
}

/* ---- the chain */

struct chain_walk {
    struct ctx *c;
    const struct skill_net *net;
    char *state; /* 0: not seen, 1: on the way, 2: done */
    size_t way[SKILL_CHAIN_DEPTH + 1];
    struct skill_chain_link *order, *missing;
    size_t n, n_missing;
    const char **cycles;
    size_t n_cycles;
};

static void chain_cycle(struct chain_walk *w, size_t to, int depth)
{
    struct buf b;
    int from = depth;

    buf_init(&b, w->c->arena, 128);
    while (from > 0 && w->way[from] != to)
        from--;
    for (; from <= depth; from++)
        buf_printf(&b, "%s, ", w->net->nodes[w->way[from]].slug);
    buf_puts(&b, w->net->nodes[to].slug);
    w->cycles[w->n_cycles++] = buf_str(&b);
}

/* As deep as SKILL_CHAIN_DEPTH, so the recursion is bounded. */
static void chain_visit(struct chain_walk *w, size_t i, int depth)
{
    const struct skill_net_node *k = &w->net->nodes[i];
    struct skill_chain_link link = {k->id, k->name, k->slug, k->status, depth};

    w->state[i] = 1;
    w->way[depth] = i;
    for (size_t e = 0; e < w->net->n_edges; e++) {
        size_t to = w->net->edges[e].target;

        if (w->net->edges[e].source != i || !skill_net_needs(&w->net->edges[e]))
            continue;
        if (w->state[to] == 1 && w->n_cycles < w->net->n_edges)
            chain_cycle(w, to, depth);
        else if (!w->state[to] && depth < SKILL_CHAIN_DEPTH)
            chain_visit(w, to, depth + 1);
    }
    w->state[i] = 2;
    w->order[w->n++] = link;
    if (k->status != SKILL_ACTIVE)
        w->missing[w->n_missing++] = link;
}

err skill_chain(struct ctx *c, struct uuid skill_id, struct skill_chain *out)
{
    struct chain_walk w = {.c = c};
    struct skill_net net;
    struct skill s;

    *out = (struct skill_chain){0};
    TRY(skill_get(c, skill_id, &s));
    TRY(skill_net_read(c, true, &net));
    if (skill_net_place(&net, skill_id) == SIZE_MAX)
        return ERR_OK;
    w.net = &net;
    w.state = arena_array(c->arena, net.n + 1, 1);
    w.order = arena_array(c->arena, net.n + 1, sizeof *w.order);
    w.missing = arena_array(c->arena, net.n + 1, sizeof *w.missing);
    w.cycles = arena_array(c->arena, net.n_edges + 1, sizeof *w.cycles);
    chain_visit(&w, skill_net_place(&net, skill_id), 0);
    out->order = (struct list){w.order, w.n};
    out->missing = (struct list){w.missing, w.n_missing};
    out->cycles = (struct strs){w.cycles, w.n_cycles};
    return ERR_OK;
}

/* ---- suggestions */

static bool skill_net_has(const struct skill_net *net, size_t a, size_t b)
{
    for (size_t e = 0; e < net->n_edges; e++)
        if ((net->edges[e].source == a && net->edges[e].target == b) || (net->edges[e].source == b && net->edges[e].target == a))
            return true;
    return false;
}

static err skill_suggest_make(struct ctx *c, struct skill_suggestions *s)
{
    const struct skill_suggestion *v = s->edges.v;
    struct edge edge;

    for (size_t i = 0; i < s->edges.n; i++) {
        struct edge_new new_edge = {EDGE_NEW_DEFAULTS, .source_id = v[i].source_id, .target_id = v[i].target_id, .relation = v[i].relation};
        err e;

        new_edge.confidence = v[i].confidence;
        e = edge_create(c, &new_edge, &edge);
        if (e == ERR_CONFLICT)
            ctx_forgive(c); /* it was made meanwhile */
        else {
            TRY(e);
            s->made++;
        }
    }
    return ERR_OK;
}

err skill_suggest_edges(struct ctx *c, double threshold, bool apply, struct skill_suggestions *out)
{
    struct skill_suggestion *v = ARENA_ARRAY(c->arena, struct skill_suggestion, SKILL_SUGGESTIONS);
    struct near_place *places;
    struct near_pair *pairs;
    struct skill_net net;
    size_t n = 0, n_pairs;

    *out = (struct skill_suggestions){0};
    TRY(skill_net_read(c, false, &net));
    places = arena_array(c->arena, net.n + 1, sizeof *places);
    for (size_t i = 0; i < net.n; i++)
        places[i] = (struct near_place){net.nodes[i].id, net.nodes[i].space_id, "skill"};
    TRY(near_pairs_others(c, places, net.n, threshold, &pairs, &n_pairs));
    for (size_t i = 0; i < n_pairs && n < SKILL_SUGGESTIONS; i++) {
        size_t a = skill_net_place(&net, pairs[i].a), b = skill_net_place(&net, pairs[i].b);
        bool is_twice = a == SIZE_MAX || b == SIZE_MAX || a == b || skill_net_has(&net, a, b);

        for (size_t k = 0; k < n && !is_twice; k++)
            is_twice = (uuid_eq(v[k].source_id, pairs[i].a) && uuid_eq(v[k].target_id, pairs[i].b)) ||
                       (uuid_eq(v[k].source_id, pairs[i].b) && uuid_eq(v[k].target_id, pairs[i].a));
        if (!is_twice)
            v[n++] = (struct skill_suggestion){pairs[i].a, pairs[i].b, net.nodes[a].name, net.nodes[b].name,
                str_eq(net.nodes[a].category, net.nodes[b].category) ? "enhances" : "composes",
                pairs[i].similarity > 1 ? 1 : pairs[i].similarity};
    }
    out->edges = (struct list){v, n};
    return apply ? skill_suggest_make(c, out) : ERR_OK;
}

/* ---- orphans */

#define ORPHAN_NEAR .7

struct skill_orphan_advice {
    const struct skill_net *net;
    const struct skill_suggestion *v;
    size_t n;
    int64_t made;
};

static bool skill_net_is_orphan(const struct skill_net *net, size_t i)
{
    for (size_t e = 0; e < net->n_edges; e++)
        if (net->edges[e].source == i || net->edges[e].target == i)
            return false;
    return true;
}

static err skill_advise_edge(struct ctx *c, const struct skill_suggestion *s, struct uuid space_id, bool *made)
{
    struct json *config = json_obj(c->arena);

    json_set_str(c->arena, config, "source_id", arena_strdup(c->arena, UUID_STR(s->source_id)));
    json_set_str(c->arena, config, "target_id", arena_strdup(c->arena, UUID_STR(s->target_id)));
    json_set_str(c->arena, config, "relation", s->relation);
    return recommendation_add(c, &(struct recommendation){
        .recommendation_type = ADVISE_CONNECT, .target_kind = "skill", .target_id = s->source_id, .space_id = space_id,
        .title = arena_printf(c->arena, "Join %.100s and %.100s", s->source_name, s->target_name), .confidence = s->confidence,
        .description = "They are near in meaning, and one of them stands alone.", .recommended_config = config}, made);
}

static err skill_advise_orphans_tx(struct ctx *c, void *arg)
{
    struct skill_orphan_advice *w = arg;

    w->made = 0;
    for (size_t i = 0; i < w->n && w->made < SKILL_ORPHAN_ADVICE; i++) {
        size_t a = skill_net_place(w->net, w->v[i].source_id), b = skill_net_place(w->net, w->v[i].target_id);
        bool made;

        if (a == SIZE_MAX || b == SIZE_MAX || !uuid_eq(w->net->nodes[a].space_id, w->net->nodes[b].space_id) ||
            !(skill_net_is_orphan(w->net, a) || skill_net_is_orphan(w->net, b)))
            continue;
        TRY(skill_advise_edge(c, &w->v[i], w->net->nodes[a].space_id, &made));
        w->made += made;
    }
    return ERR_OK;
}

err skill_advise_orphans(struct ctx *c, int64_t *made)
{
    struct skill_orphan_advice w = {0};
    struct skill_suggestions s;
    struct skill_net net;

    *made = 0;
    TRY(skill_suggest_edges(c, ORPHAN_NEAR, false, &s));
    if (!s.edges.n)
        return ERR_OK;
    TRY(skill_net_read(c, false, &net));
    w = (struct skill_orphan_advice){.net = &net, .v = s.edges.v, .n = s.edges.n};
    TRY(db_tx(c, skill_advise_orphans_tx, &w));
    *made = w.made;
    return ERR_OK;
}
