/* The net of active skills that the caller may read, with the edges between them, as one picture in memory. */
#ifndef LOCI_SKILL_NET_H
#define LOCI_SKILL_NET_H

#include "ctx.h"
#include "list.h"
#include "skill.h"

#define SKILL_NET_NODES 10000
#define SKILL_NET_EDGES 100000

struct skill_net_node {
    struct uuid id, space_id;
    const char *name, *slug, *category;
    enum skill_status status;
    double effectiveness, effectiveness_now;
    struct instant used_at, created_at;
    bool is_pinned, has_text, has_vector;
};
struct skill_net_edge {
    struct uuid id;
    size_t source, target; /* places among the nodes */
    const char *relation;
    double weight, confidence;
};
struct skill_net {
    struct skill_net_node *nodes; /* by id */
    size_t n;
    struct skill_net_edge *edges;
    size_t n_edges;
};
/* archived: also what is archived or deprecated. */
err skill_net_read(struct ctx *c, bool archived, struct skill_net *out);
/* SIZE_MAX: it is not among them. */
size_t skill_net_place(const struct skill_net *net, struct uuid id);
bool skill_net_needs(const struct skill_net_edge *e); /* requires, DEPENDS_ON or composes */

#endif
