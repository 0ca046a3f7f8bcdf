/* What the files of operations on nodes share. */
#ifndef LOCI_NODE_CALLS_H
#define LOCI_NODE_CALLS_H

#include "enumx.h"
#include "node.h"
#include "op.h"

/* Where a caller may say a node came from; left out, it is the caller. */
#define NODE_SOURCE(X) X(NODE_SOURCE_CALLER, "") X(NODE_SOURCE_TOOL, "tool") X(NODE_SOURCE_WORKFLOW, "workflow") X(NODE_SOURCE_IMPORT, "import")
ENUMX_DECLARE(node_source, NODE_SOURCE);

struct node_create_in {
    struct uuid space_id;
    const char *kind, *title, *body;
    const struct json *attrs;
    double importance, confidence, decay_rate;
    bool is_pinned;
    enum node_source source_kind;
    const char *source_id;
    struct instant valid_from, valid_to, expires_at;
    bool allow_duplicate;
};
extern const struct field NODE_CREATE_IN[];

/* What a generic call may write; ERR_INVALID names the call that writes other kinds. A nil space becomes the agent's own. */
err node_new_from(struct ctx *c, const struct node_create_in *in, struct node_new *out);

extern const struct op node_bulk_op; /* POST /api/v1/nodes/bulk */

#endif
