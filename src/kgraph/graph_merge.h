/* Nodes of the knowledge graph that are one thing become one node; each merge can be undone. */
#ifndef LOCI_GRAPH_MERGE_H
#define LOCI_GRAPH_MERGE_H

#include "ctx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define MERGE_LOSERS 50
#define MERGE_EDGES 10000 /* of all of them */
#define MERGE_UNDO_DAYS 30

struct graph_merge {
    struct uuid id, space_id, keeper_id;
    const char *keeper_name;
    const struct json *losers; /* of {id, name, aliases, status} */
    int64_t edges_moved, edges_dropped;
    struct uuid created_by;
    struct instant undone_at;
    bool is_dry_run; /* the id means nothing */
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing GRAPH_MERGE;

struct graph_merge_in {
    struct uuid id; /* the node that stays */
    struct uuids loser_ids;
    int64_t if_version;  /* of the node that stays */
    bool dry_run, force; /* force: though their types differ */
};
/* Edges, names and aliases of the losers are the keeper's from now on, of parallel edges the stronger stays. All are entities of one
 * space that the caller may write. What is believed of any of them is believed of one thing. dry_run: what it would do. */
err graph_merge(struct ctx *c, const struct graph_merge_in *in, struct graph_merge *out);
/* The losers are back, each with its own, and with what was said of its name since. ERR_CONFLICT: it was undone, or is too old. */
err graph_merge_undo(struct ctx *c, const struct thing_key *key, struct graph_merge *out);
/* Of spaces that the caller may write, newest first. */
err graph_merge_list(struct ctx *c, const struct thing_page *in, struct page *out);

#endif
