/* Operations on goals. */
#include "goal.h"
#include "watch_calls.h"

#define TAG .tag = "oversight"
#define GOALS "/api/v1/ai/goals"

static const struct field GOAL_FILTER[] = {
    F_UUID(struct goal_filter, agent_id, FIELD_NULLABLE, "only of this agent"),
    F_ENUM(struct goal_filter, status, 0, goal_wanted, GOALS_ACTIVE, "active (pending, active or paused), terminal or any"),
    F_BOOL(struct goal_filter, top_level, 0, false, "only goals that are part of no other"),
    F_BOOL(struct goal_filter, stale, 0, false, "only goals that will be abandoned soon"),
    F_PAGE(struct goal_filter),
    F_END
};

OP_CALL(GOAL_LIST, struct goal_filter, struct page, goal_list(c, in, out),
        .name = "goal.list", .method = "GET", .path = GOALS, .tool = "list_agent_goals", TAG,
        .summary = "Lists goals of agents, newest first.",
        .help = "An agent sees its own and those of members of teams that it leads.", .perm = PERM_OVERSIGHT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(GOAL_FILTER, struct goal_filter), OP_GIVE(GOAL, struct goal));

OP_CALL(GOAL_GET, struct thing_key, struct goal, goal_get(c, in->id, out),
        .name = "goal.get", .method = "GET", .path = GOALS "/:id", TAG, .summary = "Returns one goal.", .perm = PERM_OVERSIGHT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(GOAL), OP_GIVE(GOAL, struct goal));

OP_CALL(GOAL_CREATE, struct goal, struct goal, goal_create(c, in, out),
        .name = "goal.create", .method = "POST", .path = GOALS, .tool = "create_agent_goal", TAG, .summary = "Gives an agent a goal.",
        .help = "At most 5 open goals of an agent, in at most 3 levels. What serves it is linked by edges \"serves\".",
        .perm = PERM_OVERSIGHT_WRITE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(GOAL, struct goal), OP_GIVE(GOAL, struct goal));

OP_CALL(GOAL_UPDATE, struct goal_change, struct goal, goal_update(c, in, out),
        .name = "goal.update", .method = "PATCH", .path = GOALS "/:id", .tool = "update_agent_goal", TAG,
        .summary = "Changes a goal: its progress, its status, or what is said about it.",
        .help = "Progress 1 achieves it. Only progress, status, linked items and observations count as activity; after 30 days without "
                "it is abandoned.",
        .perm = PERM_OVERSIGHT_WRITE, .flags = OP_ETAG | OP_MATCH, OP_CHANGE(GOAL, struct goal_change), OP_GIVE(GOAL, struct goal));

OP_CALL(GOAL_REOPEN, struct thing_key, struct goal, goal_reopen(c, in, out),
        .name = "goal.reopen", .method = "POST", .path = GOALS "/:id/reopen", TAG, .summary = "Reopens a closed goal; for people only.",
        .perm = PERM_OVERSIGHT_REVIEW, .flags = OP_ETAG | OP_MATCH, OP_KEY(GOAL), OP_GIVE(GOAL, struct goal));

const struct op *const goal_calls_table[] = {&GOAL_LIST, &GOAL_GET, &GOAL_CREATE, &GOAL_UPDATE, &GOAL_REOPEN, NULL};
