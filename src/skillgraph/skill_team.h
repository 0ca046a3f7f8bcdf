/* What the agents of a team can do together, what they lack for a task, and who would fit. */
#ifndef LOCI_SKILL_TEAM_H
#define LOCI_SKILL_TEAM_H

#include "ctx.h"
#include "list.h"
#include "skill.h"

#define TEAM_TASK_SKILLS 10

struct skill_cover {
    const char *category;
    int64_t skills, agents;
};
struct skill_coverage {
    struct uuid team_id;
    int64_t agents, skills;
    double share;           /* of the categories that have active skills */
    struct list categories; /* of struct skill_cover: those that are covered */
    struct strs missing;    /* categories with active skills that no member has */
};
err skill_team_coverage(struct ctx *c, struct uuid team_id, struct skill_coverage *out);

struct skill_team_task {
    struct uuid tid; /* of the team; nil: of all agents */
    const char *task_context;
    int64_t max_members;
};
struct skill_team_need {
    struct uuid skill_id;
    const char *name, *category;
    int64_t holders; /* members that have it */
};
struct skill_team_pick {
    struct uuid agent_id;
    const char *name;
    int64_t skills; /* of those the task needs */
    double trust;
    struct uuids skill_ids;
};
struct skill_team_answer {
    struct list needed; /* of struct skill_team_need: skills that fit the task */
    struct list gaps;   /* the same: those that no member has */
    struct list agents; /* of struct skill_team_pick, best first */
    double covered;     /* share of what is needed that these agents have */
};
err skill_team_gaps(struct ctx *c, const struct skill_team_task *in, struct skill_team_answer *out);
/* Agents outside the team that have most of what it lacks. */
err skill_team_suggest(struct ctx *c, const struct skill_team_task *in, struct skill_team_answer *out);
/* As few agents as cover as much as possible: each time the one that adds most. */
err skill_team_compose(struct ctx *c, const struct skill_team_task *in, struct skill_team_answer *out);

#endif
