/* Finding skills for a task, and one skill as a text for a prompt. */
#ifndef LOCI_SKILL_DISCOVER_H
#define LOCI_SKILL_DISCOVER_H

#include "ctx.h"
#include "list.h"
#include "skill.h"

#define SKILL_TASK 4000
#define SKILL_TOP 50
#define SKILL_RELEVANT 0.4 /* similarity from which on a skill counts as one for the task */

#define SKILL_FIND_MODE(X) X(SKILL_FIND_AUTO, "auto") X(SKILL_FIND_VECTOR, "vector") X(SKILL_FIND_KEYWORD, "keyword")
ENUMX_DECLARE(skill_find_mode, SKILL_FIND_MODE);

struct skill_wish {
    const char *description, *task_context, *category; /* description or task_context */
    enum skill_find_mode mode;
    int64_t top_n;
    bool spreads;        /* for services: what is joined to the best ones is found, too */
    double min_evidence; /* likewise: of recall; below it nothing is found */
};
struct skill_found {
    struct uuid id;
    const char *name, *slug, *description, *category;
    double score, similarity, effectiveness_now; /* similarity below 0: not known */
    struct uuid instead_of;                      /* a deprecated one that this one replaces; nil: found itself */
    const struct skill *skill;                   /* the row; for services */
};
struct skill_finds {
    struct list skills; /* of struct skill_found, best first */
    int64_t considered;
    struct strs degraded;
};
/* Active and enabled ones, without bodies. */
err skill_discover(struct ctx *c, const struct skill_wish *in, struct skill_finds *out);

#endif
