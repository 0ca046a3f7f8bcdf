/* The beginning of a session: what is kept of its subject, what the agent should know, and the skills that the task needs. */
#ifndef LOCI_WORKSPACE_H
#define LOCI_WORKSPACE_H

#include "brief.h"

#define WORKSPACE_TASK 4000

struct workspace_in {
    struct uuid subject_id, agent_id; /* agent_id nil: the caller */
    const char *task, *session_id;    /* NULL: none; a session of its own */
    int64_t token_budget;
};
struct workspace_skill {
    struct uuid skill_id, usage_id;
    const char *name, *level;
    int64_t tokens;
};
struct workspace {
    const char *session_id, *text; /* text: context and skills, to be put before the task */
    const struct brief *context;
    struct list skills; /* of struct workspace_skill */
    int64_t token_budget, tokens;
};
err workspace_start(struct ctx *c, const struct workspace_in *in, struct workspace *out);

#endif
