/* Nodes and edges of the knowledge graph, made and changed by hand; see graph.h. */
#include <string.h>

#include "access.h"
#include "db.h"
#include "graph.h"
#include "graph_store.h"
#include "knowledge_base.h"
#include "names.h"
#include "node.h"
#include "relation.h"

static const struct json *graph_attrs(struct ctx *c, const char *node_type, const char *entity_type, struct strs aliases)
{
    struct json *o = json_obj(c->arena), *list;

    if (node_type)
        json_set_str(c->arena, o, "node_type", node_type);
    if (entity_type)
        json_set_str(c->arena, o, "entity_type", entity_type);
    if (aliases.n) {
        list = json_set(c->arena, o, "aliases", json_arr(c->arena));
        for (size_t i = 0; i < aliases.n; i++)
            json_push(list, json_str(c->arena, aliases.v[i]));
    }
    return o;
}

/* The node answers to these names from now on, where none does yet. */
static err graph_claim(struct ctx *c, struct uuid space_id, struct strs aliases, struct uuid id)
{
    struct uuid holder;

    for (size_t i = 0; i < aliases.n; i++)
        TRY(names_claim(c, space_id, aliases.v[i], id, &holder));
    return ERR_OK;
}

static err graph_place_of(struct ctx *c, const struct graph_node_new *in, struct uuid *space_id)
{
    struct uuids base;

    if (uuid_is_nil(in->knowledge_base_id) == uuid_is_nil(in->space_id))
        return fail_field(c, "/space_id", "give either space_id or knowledge_base_id");
    *space_id = in->space_id;
    if (!uuid_is_nil(in->knowledge_base_id)) {
        TRY(knowledge_base_readable(c, (struct uuids){arena_memdup(c->arena, &in->knowledge_base_id, sizeof(struct uuid)), 1}, &base));
        *space_id = in->knowledge_base_id;
    }
    return access_require(c, *space_id, ACCESS_WRITE);
}

static err graph_node_make(struct ctx *c, const struct graph_node_new *in, bool is_any_type, struct graph_node_view *out)
{
    struct uuid space_id, holder, id = uuid_new(c->now.us);
    const char *type = in->entity_type ? in->entity_type : "concept";
    struct node node;

    if (in->node_type == GRAPH_CONTENT)
        return fail_field(c, "/node_type", "content nodes are pages, articles, documents and chunks");
    TRY(graph_place_of(c, in, &space_id));
    TRY(names_claim(c, space_id, in->name, id, &holder));
    if (!uuid_eq(holder, id)) {
        TRY(graph_store_view(c, holder, out));
        if (is_any_type || !in->entity_type || str_eq(out->entity_type, type))
            return ERR_OK;
    }
    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .id = id, .space_id = space_id, .kind = "entity", .by_room = true,
                                          .title = in->name, .body = in->description ? in->description : "",
                                          .attrs = graph_attrs(c, enumx_name(&graph_node_type_enumx, in->node_type), type, in->aliases)},
                    &node));
    TRY(graph_claim(c, space_id, in->aliases, id));
    TRY(graph_store_view(c, id, out));
    out->created = true;
    return ERR_OK;
}

static err graph_node_create_tx(struct ctx *c, const struct graph_node_new *in, struct graph_node_view *out)
{
    return graph_node_make(c, in, false, out);
}
DB_TX(graph_node_create, struct graph_node_new, struct graph_node_view)

err graph_node_named(struct ctx *c, const struct graph_node_new *in, struct graph_node_view *out)
{
    return graph_node_make(c, in, true, out);
}

err graph_node_get(struct ctx *c, struct uuid id, struct graph_node_view *out)
{
    return graph_store_view(c, id, out);
}

err graph_nodes(struct ctx *c, const struct graph_nodes_in *in, struct page *out)
{
    struct uuids spaces;
    struct uuid before;

    TRY(page_begin(c, in->cursor, &before));
    TRY(knowledge_base_readable_spaces(c, in->knowledge_base_id, &spaces));
    return graph_store_nodes(c, in, spaces, before, out);
}

/* Nodes of other kinds are changed by calls of their own. */
static err graph_entity(struct ctx *c, struct uuid id, struct graph_node_view *out)
{
    TRY(graph_store_view(c, id, out));
    TRY(access_require(c, out->space_id, ACCESS_WRITE));
    return node_is_generic(c, id);
}

static err graph_node_update_tx(struct ctx *c, const struct graph_node_change *in, struct graph_node_view *out)
{
    struct node_patch p = {.if_version = in->if_version};
    struct graph_node_view was;
    struct uuid holder;
    struct node node;

    TRY(graph_entity(c, in->id, &was));
    if (given(in, name)) {
        p.set |= NODE_SET_TITLE;
        p.title = in->name;
        TRY(names_claim(c, was.space_id, in->name, in->id, &holder));
        if (!uuid_eq(holder, in->id))
            return fail(c, ERR_CONFLICT, "node %s has that name already", UUID_STR(holder));
    }
    if (given(in, description)) {
        p.set |= NODE_SET_BODY;
        p.body = in->description ? in->description : "";
    }
    if (given(in, entity_type) || given(in, aliases)) {
        p.set |= NODE_SET_ATTRS;
        p.attrs = graph_attrs(c, NULL, in->entity_type, in->aliases);
        TRY(graph_claim(c, was.space_id, in->aliases, in->id));
    }
    TRY(node_update(c, in->id, &p, &node));
    return graph_store_view(c, in->id, out);
}
DB_TX(graph_node_update, struct graph_node_change, struct graph_node_view)

err graph_node_delete(struct ctx *c, struct uuid id, int64_t if_version)
{
    struct graph_node_view was;

    TRY(graph_entity(c, id, &was));
    return node_forget(c, id, if_version);
}

/* ---- edges */

static const struct json *graph_edge_metadata(struct ctx *c, const struct graph_edge_new *in)
{
    struct json *o = json_obj(c->arena), *list;

    if (in->edge.metadata)
        o = json_merge_patch(c->arena, o, json_opened(c->arena, in->edge.metadata));
    if (in->label)
        json_put(c->arena, o, "label", json_str(c->arena, in->label));
    if (in->evidence.n) {
        list = json_put(c->arena, o, "evidence", json_arr(c->arena));
        for (size_t i = 0; i < in->evidence.n; i++)
            json_push(list, json_str(c->arena, in->evidence.v[i]));
    }
    return o;
}

static err graph_edge_create_tx(struct ctx *c, const struct graph_edge_new *in, struct graph_edge_out *out)
{
    const struct relation *r = relation_find(in->edge.relation);
    struct edge_new e = in->edge;
    struct uuid there;

    e.metadata = graph_edge_metadata(c, in);
    TRY(graph_store_find_edge(c, &e, r ? r->name : e.relation, &there));
    out->created = uuid_is_nil(there);
    if (out->created)
        return edge_create(c, &e, &out->edge);
    return edge_update(c, there, &(struct edge_patch){.set = EDGE_SET_WEIGHT | EDGE_SET_CONFIDENCE | EDGE_SET_BIDIRECTIONAL |
        EDGE_SET_METADATA, .weight = e.weight, .confidence = e.confidence, .bidirectional = e.bidirectional, .metadata = e.metadata},
                       &out->edge);
}
DB_TX(graph_edge_create, struct graph_edge_new, struct graph_edge_out)
