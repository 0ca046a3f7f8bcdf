/* What the job does with goals: those that are reached are achieved, idle ones are warned of and abandoned. */
#include "access.h"
#include "goal_impl.h"
#include "goal_store.h"
#include "observation.h"
#include "reach.h"

err goal_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return goal_store_due_accounts(c, above, ids, max, n);
}

err goal_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    return goal_store_due(c, behind, limit, out);
}

/* As its sensor says it: the two are one observation. */
static err goal_warn(struct ctx *c, const struct goal *was)
{
    struct observation o = {.agent_id = was->agent_id, .goal_id = was->id, .sensor_type = SENSOR_GOAL,
                            .observation_type = OBSERVATION_ALERT, .severity = OBSERVATION_WARNING, .title = "A goal will be abandoned",
                            .requires_action = true,
                            .subject = arena_printf(c->arena, "stale %s", UUID_STR(was->id)), .data = json_obj(c->arena),
                            .source = OBSERVATION_BY_SENSOR, .expires_at = {c->now.us + GOAL_WARNING_DAYS * DAY_US}};
    struct goal g = *was;

    g.warned_at = c->now;
    TRY(goal_save(c, &(struct thing_change){.verb = "warn"}, was, &g));
    TRY(watch_lock_agent(c, was->agent_id));
    return observation_report(c, &o, 1, &(struct observed){0});
}

/* Its stored activity or date was older than what is linked to it. */
static err goal_move_on(struct ctx *c, const struct goal *was, struct goals_kept *out)
{
    struct goal g = *was;

    if (was->warned_at.us && c->now.us - was->last_activity_at.us < goal_idle_limit(was) - GOAL_WARNING_DAYS * DAY_US)
        g.warned_at = (struct instant){0};
    else if (json_get(was->success_criteria, "check"))
        return ERR_OK; /* looked at each time, and nothing has changed */
    out->moved++;
    return goal_save(c, &(struct thing_change){.verb = "look"}, was, &g);
}

static err goal_keep_one(struct ctx *c, struct goal *g, struct goals_kept *out)
{
    int64_t idle;

    g->success_criteria = json_opened(c->arena, g->success_criteria);
    idle = c->now.us - g->last_activity_at.us;
    if (g->is_met) {
        out->achieved++;
        return goal_end(c, g, GOAL_ACHIEVED, "its check is met");
    }
    if (idle >= goal_idle_limit(g)) {
        out->abandoned++;
        return goal_end(c, g, GOAL_ABANDONED, "stale");
    }
    if (idle >= goal_idle_limit(g) - GOAL_WARNING_DAYS * DAY_US && !g->warned_at.us) {
        out->warned++;
        return goal_warn(c, g);
    }
    return goal_move_on(c, g, out);
}

err goal_keep(struct ctx *c, struct goal *goals, size_t n, struct goals_kept *out)
{
    for (size_t i = 0; i < n; i++)
        TRY(goal_keep_one(c, &goals[i], out));
    return ERR_OK;
}
