/* The graph of skills as a picture, the order of what a skill needs, and edges that likeness suggests. */
#ifndef LOCI_SKILL_BRIDGE_H
#define LOCI_SKILL_BRIDGE_H

#include "ctx.h"
#include "list.h"
#include "skill.h"

#define SKILL_PICTURE_NODES 500
#define SKILL_CHAIN_DEPTH 10
#define SKILL_SUGGESTIONS 500

struct skill_picture_node {
    struct uuid id;
    const char *name, *slug, *category;
    double effectiveness_now;
    int64_t depth; /* steps from the skill in the middle */
};
struct skill_picture_edge {
    struct uuid id, source_id, target_id;
    const char *relation;
    double weight;
};
struct skill_picture {
    struct list nodes, edges;
    bool has_more;
};
/* skill_id nil: all. */
struct skill_picture_wish {
    struct uuid skill_id;
    int64_t depth;
};
err skill_picture(struct ctx *c, const struct skill_picture_wish *in, struct skill_picture *out);

struct skill_chain_link {
    struct uuid id;
    const char *name, *slug;
    enum skill_status status;
    int64_t depth;
};
/* What a skill needs, the deepest first: in this order they can be done. cycles: names along each. */
struct skill_chain {
    struct list order;   /* of struct skill_chain_link */
    struct list missing; /* the same: not active */
    struct strs cycles;
};
err skill_chain(struct ctx *c, struct uuid skill_id, struct skill_chain *out);

struct skill_suggestion {
    struct uuid source_id, target_id;
    const char *source_name, *target_name, *relation;
    double confidence;
};
struct skill_suggestions {
    struct list edges; /* of struct skill_suggestion */
    int64_t made;      /* of these, when they are applied */
};
/* Same category: enhances; another one: composes. Edges that are there are left out. apply: makes them. */
err skill_suggest_edges(struct ctx *c, double threshold, bool apply, struct skill_suggestions *out);
/* For the job: recommends edges for skills that have none; *made of them are new. */
#define SKILL_ORPHAN_ADVICE 50
err skill_advise_orphans(struct ctx *c, int64_t *made);

#endif
