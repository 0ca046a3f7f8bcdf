/* Operations that merge nodes of the knowledge graph. */
#include "graph_merge.h"
#include "kgraph_calls.h"
#include "thing.h"

#define TAG .tag = "knowledge"
#define GRAPH "/api/v1/ai/knowledge_graph"

static const struct field GRAPH_MERGE_IN[] = {
    F_UUID(struct graph_merge_in, id, FIELD_REQUIRED, "id of the node that stays"),
    F_UUIDS(struct graph_merge_in, loser_ids, FIELD_REQUIRED, MERGE_LOSERS, "ids of entities of the same space that are the same thing"),
    F_BOOL(struct graph_merge_in, dry_run, 0, false, "say what would change, and change nothing"),
    F_BOOL(struct graph_merge_in, force, 0, false, "though their types differ"),
    F_INT(struct graph_merge_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version of the node that stays; same as If-Match"),
    F_END
};

OP_CALL(GRAPH_MERGE_CALL, struct graph_merge_in, struct graph_merge, graph_merge(c, in, out),
        .name = "graph.merge", .method = "POST", .path = GRAPH "/nodes/:id/merge", .tool = "merge_graph_nodes", TAG,
        .summary = "Merges entities into one: edges, mentions and names of the others become its own.",
        .help = "Of parallel edges the stronger stays; facts keep their subject. The others leave every read. undo_graph_merge takes it "
                "back within 30 days.",
        .perm = PERM_GRAPH_MANAGE, .flags = OP_MATCH, OP_IN(GRAPH_MERGE_IN, struct graph_merge_in),
        OP_GIVE(GRAPH_MERGE, struct graph_merge));

/* The same for who keeps what is believed. */
OP_CALL(ENTITY_MERGE_CALL, struct graph_merge_in, struct graph_merge, graph_merge(c, in, out),
        .name = "entity.merge", .method = "POST", .path = "/api/v1/entities/:id/merge", .tag = "belief",
        .summary = "Merges entities into one: what is believed of any of them is believed of one thing. As merge_graph_nodes.",
        .perm = PERM_BELIEF_REVIEW, .flags = OP_MATCH, OP_IN(GRAPH_MERGE_IN, struct graph_merge_in),
        OP_GIVE(GRAPH_MERGE, struct graph_merge));

static const struct field MERGE_UNDO_IN[] = {
    F_UUID_AS("merge_id", struct thing_key, id, FIELD_REQUIRED, "id of the merge"),
    F_INT(struct thing_key, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match"),
    F_END
};

OP_CALL(GRAPH_MERGE_UNDO_CALL, struct thing_key, struct graph_merge, graph_merge_undo(c, in, out),
        .name = "graph.merge_undo", .method = "POST", .path = GRAPH "/merges/:merge_id/undo", .tool = "undo_graph_merge", TAG,
        .summary = "Undoes a merge of nodes: each node gets its edges and names back, with those that mention it since.",
        .perm = PERM_GRAPH_MANAGE, .flags = OP_ETAG | OP_MATCH, OP_IN(MERGE_UNDO_IN, struct thing_key),
        OP_GIVE(GRAPH_MERGE, struct graph_merge));

OP_CALL(ENTITY_UNMERGE_CALL, struct thing_key, struct graph_merge, graph_merge_undo(c, in, out),
        .name = "entity.unmerge", .method = "POST", .path = "/api/v1/entities/merges/:merge_id/undo", .tag = "belief",
        .summary = "Undoes a merge of entities: each gets back its own, with all that was learned since.", .perm = PERM_BELIEF_REVIEW,
        .flags = OP_ETAG | OP_MATCH, OP_IN(MERGE_UNDO_IN, struct thing_key), OP_GIVE(GRAPH_MERGE, struct graph_merge));

OP_CALL(GRAPH_MERGE_LIST_CALL, struct thing_page, struct page, graph_merge_list(c, in, out),
        .name = "graph.merges", .method = "GET", .path = GRAPH "/merges", TAG, .summary = "Lists merges of nodes, newest first.",
        .perm = PERM_GRAPH_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_PAGE, OP_GIVE(GRAPH_MERGE, struct graph_merge));

const struct op *const graph_merge_calls_table[] = {&GRAPH_MERGE_CALL, &GRAPH_MERGE_UNDO_CALL, &GRAPH_MERGE_LIST_CALL,
    &ENTITY_MERGE_CALL, &ENTITY_UNMERGE_CALL, NULL};
