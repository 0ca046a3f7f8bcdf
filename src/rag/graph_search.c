/* Nodes of the knowledge graph by name, meaning, type and relation, with their strongest edges; see graph.h. */
#include <string.h>

#include "access.h"
#include "graph.h"
#include "graph_store.h"
#include "knowledge_base.h"
#include "rag_impl.h"

#define FILTERED 200 /* nodes that filters are applied to, where there are any */
#define HIT_EDGES 20 /* that the answer shows of one node */

ENUMX_DEFINE(graph_node_type, GRAPH_NODE_TYPE);

struct graph_search {
    const struct graph_search_in *in;
    const char *node_type; /* NULL: any */
    struct uuids spaces;   /* none: all that are readable */
    struct graph_hit *hits;
    size_t n, cap;
    struct graph_walk walk; /* from the hits, one step */
};

static void search_add(struct graph_search *s, struct graph_hit hit)
{
    for (size_t i = 0; i < s->n; i++)
        if (uuid_eq(s->hits[i].id, hit.id))
            return;
    if (s->n < s->cap)
        s->hits[s->n++] = hit;
}

/* ---- which nodes */

static struct strs search_kinds(const struct graph_search_in *in)
{
    static const char *NAMED[] = {"entity", "page", "article", "document", "skill", "goal"},
                      *CONTENT[] = {"page", "article", "document", "chunk"};

    if (in->kinds.n)
        return in->kinds;
    if (in->node_type == GRAPH_CONTENT)
        return (struct strs){CONTENT, sizeof CONTENT / sizeof *CONTENT};
    return in->node_type >= 0 || in->entity_type ? (struct strs){NAMED, 1} : (struct strs){NAMED, sizeof NAMED / sizeof *NAMED};
}

static err search_by_words(struct ctx *c, struct graph_search *s, struct strs *degraded)
{
    struct recall_filters filters = {.aside = true};
    struct json *attrs = json_obj(c->arena);
    const struct recall_hit *hits;
    struct recall_out found;
    struct recall_in ask;

    recall_in_defaults(&ask);
    if (s->in->entity_type)
        json_set_str(c->arena, attrs, "entity_type", s->in->entity_type);
    if (s->node_type && s->in->node_type != GRAPH_ENTITY && s->in->node_type != GRAPH_CONTENT)
        json_set_str(c->arena, attrs, "node_type", s->node_type); /* the others need not say so */
    filters.attrs = attrs->first ? attrs : NULL;
    ask.query = s->in->query;
    ask.spaces = s->spaces;
    ask.filters = &filters;
    ask.mode = rag_recall_mode(s->in->mode);
    ask.kinds = search_kinds(s->in);
    ask.limit = (int64_t)s->cap;
    ask.body_chars = 0;
    ask.touch = false;
    TRY(recall_run(c, &ask, &found));
    hits = found.hits.v;
    for (size_t i = 0; i < found.hits.n; i++)
        search_add(s, (struct graph_hit){.id = hits[i].id, .score = hits[i].score});
    *degraded = found.degraded;
    return ERR_OK;
}

static err search_by_relation(struct ctx *c, struct graph_search *s)
{
    struct uuids spaces = s->spaces.n ? s->spaces : access_spaces(c);
    const struct graph_tie *v;
    struct list ties;

    TRY(graph_store_of_relation(c, s->in->relation_type, spaces, FILTERED, &ties));
    v = ties.v;
    for (size_t i = 0; i < ties.n; i++) {
        search_add(s, (struct graph_hit){.id = v[i].source_id});
        search_add(s, (struct graph_hit){.id = v[i].target_id});
    }
    return ERR_OK;
}

/* What the rows say of them; those that are of other types go. */
static err search_fill(struct ctx *c, struct graph_search *s)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, s->n + 1);
    const struct graph_node_view *v;
    struct list views;
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++)
        ids[i] = s->hits[i].id;
    TRY(graph_store_views(c, ids, s->n, s->node_type, s->in->entity_type, &views));
    v = views.v;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < views.n; k++)
            if (uuid_eq(v[k].id, s->hits[i].id)) {
                s->hits[kept++] = (struct graph_hit){v[k].id, v[k].space_id, v[k].kind, v[k].name, v[k].node_type, v[k].entity_type,
                                                     s->hits[i].score, v[k].quality, true};
                break;
            }
    s->n = kept;
    return ERR_OK;
}

/* ---- their edges */

static bool search_has_edge(const struct graph_search *s, struct uuid id)
{
    for (size_t i = 0; i < s->walk.n_edges; i++)
        if (uuid_eq(s->walk.edges[i].source_id, id) || uuid_eq(s->walk.edges[i].target_id, id))
            return true;
    return false;
}

static err search_walk(struct ctx *c, struct graph_search *s)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, s->n + 1);
    const char *relation = s->in->relation_type;
    struct walk_wish wish = {.depth = 1, .relation_types = {&relation, relation ? 1 : 0}};
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++)
        ids[i] = s->hits[i].id;
    TRY(graph_walk_begin(c, ids, s->n, &s->walk));
    TRY(graph_walk_all(c, &s->walk, &wish));
    for (size_t i = 0; i < s->n && kept < (size_t)s->in->top_k; i++)
        if (!relation || search_has_edge(s, s->hits[i].id))
            s->hits[kept++] = s->hits[i];
    s->n = kept;
    return ERR_OK;
}

/* Edges of the hits, of each at most so many; they are sorted by weight. */
static struct list search_edges(struct ctx *c, const struct graph_search *s)
{
    struct walk_edge *out = ARENA_ARRAY(c->arena, struct walk_edge, s->walk.n_edges + 1);
    size_t *shown = ARENA_ARRAY(c->arena, size_t, s->n + 1), n = 0;

    for (size_t i = 0; i < s->walk.n_edges; i++) {
        const struct walk_edge *e = &s->walk.edges[i];
        bool is_shown = false;

        for (size_t k = 0; k < s->n && !is_shown; k++)
            if (uuid_eq(s->hits[k].id, e->source_id) || uuid_eq(s->hits[k].id, e->target_id))
                is_shown = shown[k]++ < HIT_EDGES;
        if (is_shown)
            out[n++] = *e;
    }
    return (struct list){out, n};
}

err graph_search(struct ctx *c, const struct graph_search_in *in, struct graph_search_out *out)
{
    struct graph_search s = {.in = in, .node_type = in->node_type < 0 ? NULL : enumx_name(&graph_node_type_enumx, in->node_type)};
    struct uuid base = in->knowledge_base_id;

    *out = (struct graph_search_out){0};
    s.cap = s.node_type || in->entity_type || in->relation_type ? FILTERED : (size_t)in->top_k;
    s.hits = ARENA_ARRAY(c->arena, struct graph_hit, s.cap + 1);
    if (!uuid_is_nil(base))
        TRY(knowledge_base_readable_spaces(c, base, &s.spaces));
    TRY(str_empty(in->query) ? search_by_relation(c, &s) : search_by_words(c, &s, &out->degraded));
    if (!s.n)
        return ERR_OK;
    TRY(search_fill(c, &s));
    TRY(search_walk(c, &s));
    out->nodes = (struct list){s.hits, s.n};
    out->edges = search_edges(c, &s);
    return ERR_OK;
}
