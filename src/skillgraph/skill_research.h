/* Research for a skill to be: what is known of a topic, which skills are near it, and what it would need. */
#ifndef LOCI_SKILL_RESEARCH_H
#define LOCI_SKILL_RESEARCH_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "skill_proposal.h"

#define SKILL_TOPIC 500
#define SKILL_SAME 0.92  /* similarity from which on a skill is there already */
#define SKILL_NEEDED 0.5 /* … and from which on one may be needed */

#define SKILL_SOURCE(X) \
    X(SOURCE_SKILLS, "knowledge_graph") X(SOURCE_BASES, "knowledge_bases") X(SOURCE_LEARNINGS, "learnings") \
    X(SOURCE_SHARED, "shared_knowledge")
ENUMX_DECLARE(skill_source, SKILL_SOURCE);

struct skill_finding {
    struct uuid id;
    const char *title, *excerpt;
    double similarity;
};
struct skill_source_report {
    const char *source, *error; /* error NULL: it answered */
    struct list findings;       /* of struct skill_finding */
};
struct skill_near {
    struct uuid skill_id;
    const char *name, *slug, *category;
    double similarity;
};
struct skill_research {
    const char *topic, *category; /* category NULL: not clear */
    double confidence;
    struct list sources;      /* of struct skill_source_report */
    struct list overlaps;     /* of struct skill_near, nearest first */
    struct list dependencies; /* the same, of those that it may need */
    struct uuid proposal_id;  /* nil: none was wanted */
};
struct skill_research_in {
    const char *topic;
    struct strs sources; /* none: all */
    bool propose, force;
};
/* As the caller; ERR_CONFLICT names a skill that is there already, unless forced. */
err skill_research(struct ctx *c, const struct skill_research_in *in, struct skill_research *out);
/* Skills near a name and a description, nearest first; of struct skill_near. */
err skill_overlaps(struct ctx *c, const char *name, const char *description, struct list *out);

/* ---- evolution: research for a skill that is there (skill_evolve.c) */

#define EVOLVE_LEARNINGS 5
#define EVOLVE_NEAR 0.5
#define EVOLVE_CHARS 200

/* The active text with a section "Lessons" of what learnings say of it; experimental, not served. ERR_CONFLICT: nothing new was
 * learned, or an experiment on this version has had no outcome yet. */
err skill_evolve(struct ctx *c, const struct thing_key *key, struct skill_version *out);

#endif
