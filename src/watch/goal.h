/* Goals: what an agent wants to reach. Each is a node, so that it is recalled and linked by edges `serves`, with a row of its own. */
#ifndef LOCI_GOAL_H
#define LOCI_GOAL_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define GOAL_TITLE 255
#define GOAL_DESCRIPTION 4000
#define GOAL_CRITERIA 8192 /* bytes */
#define GOAL_REASON 500
#define GOALS_OPEN 5 /* of an agent */
#define GOAL_DEPTH 3
#define GOAL_STALE_DAYS 30  /* pending and active ones without activity are abandoned, … */
#define GOAL_PAUSED_DAYS 90 /* … paused ones later */
#define GOAL_WARNING_DAYS 7 /* before */

#define GOAL_TYPE(X) \
    X(GOAL_MAINTENANCE, "maintenance") X(GOAL_IMPROVEMENT, "improvement") X(GOAL_CREATION, "creation") \
    X(GOAL_MONITORING, "monitoring") X(GOAL_FEATURE, "feature_suggestion") X(GOAL_REACTION, "reaction")
ENUMX_DECLARE(goal_type, GOAL_TYPE);

/* The first three are open. */
#define GOAL_STATUS(X) \
    X(GOAL_PENDING, "pending") X(GOAL_ACTIVE, "active") X(GOAL_PAUSED, "paused") X(GOAL_ACHIEVED, "achieved") \
    X(GOAL_ABANDONED, "abandoned") X(GOAL_FAILED, "failed")
ENUMX_DECLARE(goal_status, GOAL_STATUS);

#define GOAL_CHILDREN(X) X(GOAL_CHILDREN_KEEP, "keep") X(GOAL_CHILDREN_CLOSE, "close")
ENUMX_DECLARE(goal_children, GOAL_CHILDREN);

#define GOAL_WANTED(X) X(GOALS_ACTIVE, "active") X(GOALS_TERMINAL, "terminal") X(GOALS_ANY, "any")
ENUMX_DECLARE(goal_wanted, GOAL_WANTED);

struct goal {
    struct uuid id, agent_id, space_id, parent_goal_id;
    int64_t depth;
    const char *title, *description;
    enum goal_type goal_type;
    enum goal_status status;
    int64_t priority;
    double progress;
    const struct json *success_criteria;
    struct instant deadline, last_activity_at, warned_at, due_at;
    struct uuid created_by;
    const char *end_reason;
    const char *reason;          /* of a change: becomes end_reason */
    enum goal_children children; /* likewise: what becomes of open goals below one that is closed */
    int64_t version;
    struct instant created_at, updated_at;
    bool is_met; /* for the job: what success_criteria.check counts is there */
};
extern const struct thing GOAL;

struct goal_change {
    struct thing_change change;
    struct goal to;
};

struct goal_filter {
    struct uuid agent_id; /* nil: all in reach */
    enum goal_wanted status;
    bool top_level, stale; /* stale: it will be abandoned within a week */
    int64_t limit;
    const char *cursor;
};

static inline bool goal_is_open(const struct goal *g)
{
    return g->status <= GOAL_PAUSED;
}

err goal_list(struct ctx *c, const struct goal_filter *f, struct page *out);
err goal_get(struct ctx *c, struct uuid id, struct goal *out);
/* ERR_CONFLICT: the agent has GOALS_OPEN open ones, or it would be too deep. */
err goal_create(struct ctx *c, const struct goal *in, struct goal *out);
err goal_update(struct ctx *c, const struct goal_change *ch, struct goal *out);
/* By people only. */
err goal_reopen(struct ctx *c, const struct thing_key *key, struct goal *out);
/* The agent of a goal that is in reach. Named already (not nil), it must be the same. */
err goal_whose(struct ctx *c, const char *field, struct uuid id, struct goal *out, struct uuid *agent_id);
/* Inside a transaction: something happened that concerns it. */
err goal_touch(struct ctx *c, struct uuid id);

/* For the job: accounts, and open goals behind that one, with something due; then what is to be done with them. */
struct goals_kept {
    int64_t abandoned, warned, achieved, moved;
};
err goal_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err goal_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
err goal_keep(struct ctx *c, struct goal *goals, size_t n, struct goals_kept *out);

#endif
