/* The operations of edges. */
#include "edge.h"
#include "graph_calls.h"
#include "relation.h"

#define TAG .tag = "edges"
#define VERSION_MAX 9e15

static const struct field EDGE_OUT[] = {
    F_UUID(struct edge, id, 0, "id of the edge"),
    F_UUID(struct edge, source_id, 0, "source node"),
    F_UUID(struct edge, target_id, 0, "target node"),
    F_STR(struct edge, relation, 0, 0, RELATION_MAX, "relation, as spelled in the registry"),
    F_NUM(struct edge, weight, 0, 0, 1, 1, "strength"),
    F_NUM(struct edge, confidence, 0, 0, 1, 1, "confidence, 0 to 1"),
    F_BOOL(struct edge, bidirectional, 0, false, "bidirectional"),
    F_ENUM(struct edge, status, 0, edge_status, EDGE_ACTIVE, "archived: kept, but not followed by recall"),
    F_TIME(struct edge, valid_from, FIELD_NULLABLE, "valid from (valid time)"),
    F_TIME(struct edge, valid_to, FIELD_NULLABLE, "valid until (valid time)"),
    F_TIME(struct edge, recorded_at, 0, "recorded at (transaction time)"),
    F_TIME(struct edge, retired_at, FIELD_NULLABLE, "retired at (transaction time)"),
    F_OBJECT(struct edge, metadata, 0, LIMIT_ATTRS, "metadata"),
    F_INT(struct edge, version, 0, 1, VERSION_MAX, 1, "version; increases with every change"),
    F_TIME(struct edge, updated_at, 0, "when it was last changed"),
    F_END
};

/* ---- create */

static const struct field CREATE_IN[] = {
    F_UUID(struct edge_new, source_id, FIELD_REQUIRED, "source node; the caller needs write access to its space"),
    F_UUID(struct edge_new, target_id, FIELD_REQUIRED, "target node; the caller needs read access to it"),
    F_STR(struct edge_new, relation, FIELD_REQUIRED, 1, RELATION_MAX, "relation (case does not matter); new ones: a-z 0-9 _"),
    F_NUM(struct edge_new, weight, 0, 0, 1, 1, "strength"),
    F_NUM(struct edge_new, confidence, 0, 0, 1, 1, "confidence, 0 to 1"),
    F_BOOL(struct edge_new, bidirectional, 0, false, "bidirectional"),
    F_TIME(struct edge_new, valid_from, FIELD_NULLABLE, "valid from (valid time)"),
    F_TIME(struct edge_new, valid_to, FIELD_NULLABLE, "valid until (valid time)"),
    F_OBJECT(struct edge_new, metadata, FIELD_NULLABLE, LIMIT_ATTRS, "metadata"),
    F_END
};

OP_CALL(EDGE_CREATE, struct edge_new, struct edge, edge_create(c, in, out),
        .name = "edge.create", .method = "POST", .path = "/api/v1/edges", TAG,
        .summary = "Creates an edge between two nodes.",
        .help = "There is at most one edge per source, target and relation; a second one gets 409. "
                "Relations maintained by Loci cannot be written here.",
        .perm = PERM_GRAPH_WRITE, .flags = OP_CREATES | OP_ETAG,
        OP_IN(CREATE_IN, struct edge_new), OP_OUT(EDGE_OUT, struct edge));

/* ---- read */

#define LIST_FIELDS \
    F_ENUM(struct edge_filter, direction, 0, edge_direction, EDGE_EITHER, "direction, seen from the node"), \
    F_STR(struct edge_filter, relation, 0, 1, RELATION_MAX, "only this relation (case does not matter)"), \
    F_BOOL(struct edge_filter, include_archived, 0, false, "include archived edges"), \
    F_TIME(struct edge_filter, as_of, FIELD_NULLABLE, "as of this point in time (valid time)"), \
    F_TIME(struct edge_filter, as_known_at, FIELD_NULLABLE, \
           "as known at this point in time (transaction time), including edges retired later"), \
    F_PAGE(struct edge_filter), \
    F_END

static const struct field LIST_IN[] = {
    F_UUID(struct edge_filter, node_id, FIELD_NULLABLE, "only edges of this node"),
    LIST_FIELDS
};

static const struct field OF_NODE_IN[] = {
    F_UUID_AS("id", struct edge_filter, node_id, FIELD_REQUIRED, "id of the node"),
    LIST_FIELDS
};

OP_CALL(EDGE_LIST, struct edge_filter, struct page, edge_list(c, in, out),
        .name = "edge.list", .method = "GET", .path = "/api/v1/edges", TAG,
        .summary = "Lists edges between nodes that the caller can read, newest first.",
        .perm = PERM_GRAPH_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct edge_filter), OP_OUT(EDGE_OUT, struct edge));

OP_CALL(NODE_EDGES, struct edge_filter, struct page, edge_list(c, in, out),
        .name = "node.edges", .method = "GET", .path = "/api/v1/nodes/:id/edges", TAG,
        .summary = "Lists the edges of a node, newest first.",
        .help = "Edges whose other end the caller cannot read are left out.",
        .perm = PERM_GRAPH_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(OF_NODE_IN, struct edge_filter), OP_OUT(EDGE_OUT, struct edge));

struct id_in {
    struct uuid id;
    int64_t if_version;
};

static const struct field ID_IN[] = {
    F_UUID(struct id_in, id, FIELD_REQUIRED, "id of the edge"),
    F_END
};

static const struct field MATCH_IN[] = {
    F_UUID(struct id_in, id, FIELD_REQUIRED, "id of the edge"),
    F_INT(struct id_in, if_version, FIELD_NULLABLE, 1, VERSION_MAX, 0, "expected version; same as If-Match"),
    F_END
};

OP_CALL(EDGE_GET, struct id_in, struct edge, edge_get(c, in->id, out),
        .name = "edge.get", .method = "GET", .path = "/api/v1/edges/:id", TAG,
        .summary = "Returns an edge, also a retired one.", .perm = PERM_GRAPH_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_IN(ID_IN, struct id_in), OP_OUT(EDGE_OUT, struct edge));

/* ---- change */

struct update_in {
    struct given given;
    struct uuid id;
    int64_t if_version;
    double weight, confidence;
    bool bidirectional;
    enum edge_status status;
    struct instant valid_from, valid_to;
    const struct json *metadata;
};

static const struct field UPDATE_IN[] = {
    F_UUID(struct update_in, id, FIELD_REQUIRED, "id of the edge"),
    F_INT(struct update_in, if_version, FIELD_NULLABLE, 1, VERSION_MAX, 0, "expected version; same as If-Match"),
    F_NUM(struct update_in, weight, FIELD_UNSAID, 0, 1, 1, "strength"),
    F_NUM(struct update_in, confidence, FIELD_UNSAID, 0, 1, 1, "confidence, 0 to 1"),
    F_BOOL(struct update_in, bidirectional, FIELD_UNSAID, false, "bidirectional"),
    F_ENUM(struct update_in, status, FIELD_UNSAID, edge_status, EDGE_ACTIVE, "archived: kept, but not followed by recall"),
    F_TIME(struct update_in, valid_from, FIELD_NULLABLE, "valid from (valid time)"),
    F_TIME(struct update_in, valid_to, FIELD_NULLABLE, "valid until (valid time)"),
    F_OBJECT(struct update_in, metadata, FIELD_NULLABLE, LIMIT_ATTRS, "merged into the metadata (RFC 7396); null clears it"),
    F_END
};

static err edge_call_update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct edge_patch p = {.if_version = i->if_version, .weight = i->weight, .confidence = i->confidence,
                           .bidirectional = i->bidirectional, .status = i->status, .valid_from = i->valid_from,
                           .valid_to = i->valid_to, .metadata = i->metadata};

    p.set = (given(i, weight) ? EDGE_SET_WEIGHT : 0) | (given(i, confidence) ? EDGE_SET_CONFIDENCE : 0) |
            (given(i, bidirectional) ? EDGE_SET_BIDIRECTIONAL : 0) | (given(i, status) ? EDGE_SET_STATUS : 0) |
            (given(i, valid_from) ? EDGE_SET_VALID_FROM : 0) | (given(i, valid_to) ? EDGE_SET_VALID_TO : 0) |
            (given(i, metadata) ? EDGE_SET_METADATA : 0);
    return edge_update(c, i->id, &p, out);
}

static const struct op EDGE_UPDATE = {
    .name = "edge.update", .method = "PATCH", .path = "/api/v1/edges/:id", TAG,
    .summary = "Changes an edge.", .help = "Omitted fields stay unchanged. A retired edge cannot be changed.",
    .perm = PERM_GRAPH_WRITE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(EDGE_OUT, struct edge), .run = edge_call_update,
};

OP_CALL(EDGE_RETIRE, struct id_in, void, edge_retire(c, in->id, in->if_version),
        .name = "edge.retire", .method = "DELETE", .path = "/api/v1/edges/:id", TAG,
        .summary = "Retires an edge.", .help = "It can still be read by its id and with as_known_at.",
        .perm = PERM_GRAPH_WRITE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
        OP_IN(MATCH_IN, struct id_in));

const struct op *const edge_calls_table[] = {&EDGE_CREATE, &EDGE_LIST, &NODE_EDGES, &EDGE_GET, &EDGE_UPDATE, &EDGE_RETIRE, NULL};
