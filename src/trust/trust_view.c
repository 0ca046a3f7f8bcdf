/* Trust as it is shown; see trust_view.h. */
#include "trust_view.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "team.h"
#include "trust_view_store.h"

/* ---- who sees it */

err trust_is_seen(struct ctx *c, const struct agent_trust *t)
{
    bool leads;

    if (c->who->kind != PRINCIPAL_AGENT || uuid_eq(c->who->id, t->agent_id) || uuid_eq(c->who->id, t->parent_id))
        return ERR_OK;
    TRY(trust_view_store_leads(c, c->who->id, t->agent_id, &leads));
    return leads ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such agent");
}

static err trust_see(struct ctx *c, struct uuid agent_id, struct agent_trust *out)
{
    bool found;

    TRY(trust_store_get(c, agent_id, false, &found, out));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such agent");
    return trust_is_seen(c, out);
}

err trust_is_seen_by_id(struct ctx *c, struct uuid agent_id)
{
    struct agent_trust t;

    return trust_see(c, agent_id, &t);
}

/* ---- an agent */

static struct list trust_bars(struct ctx *c, const double now[TRUST_DIMENSIONS], const double stored[TRUST_DIMENSIONS])
{
    struct trust_bar *v = ARENA_ARRAY(c->arena, struct trust_bar, TRUST_DIMENSIONS);

    for (int i = 0; i < TRUST_DIMENSIONS; i++)
        v[i] = (struct trust_bar){(enum trust_dimension)i, now[i], stored[i]};
    return (struct list){v, TRUST_DIMENSIONS};
}

static const char *trust_until(struct ctx *c, struct instant since, int64_t us)
{
    return arena_printf(c->arena, "%.16sZ", instant_text((struct instant){since.us + us}, (char[INSTANT_TEXT]){0}));
}

static void trust_say_waits(struct ctx *c, const struct agent_trust *t, struct strs *out)
{
    if (t->evaluation_count < TRUST_EVALUATIONS)
        out->v[out->n++] = arena_printf(c->arena, "%lld of %d evaluations by others", (long long)t->evaluation_count, TRUST_EVALUATIONS);
    if (c->now.us - t->tier_since.us < TRUST_RISE_US)
        out->v[out->n++] = arena_printf(c->arena, "in its tier for less than 12 hours: not before %s",
                                        trust_until(c, t->tier_since, TRUST_RISE_US));
    if (t->last_demoted_at.us && c->now.us - t->last_demoted_at.us < TRUST_AFTER_FALL_US)
        out->v[out->n++] = arena_printf(c->arena, "it fell less than 24 hours ago: not before %s",
                                        trust_until(c, t->last_demoted_at, TRUST_AFTER_FALL_US));
}

static struct strs trust_why(struct ctx *c, const struct agent_trust *t, const struct trust_now *n)
{
    struct strs out = {ARENA_ARRAY(c->arena, const char *, 8), 0};
    enum trust_tier next = (enum trust_tier)((int)n->earned + 1);

    if (t->limited_at.us)
        out.v[out.n++] = "its tokens may only read since an emergency; a person has to lift that";
    if (t->pinned_tier >= 0)
        out.v[out.n++] = arena_printf(c->arena, "pinned to %s: %s", enumx_name(&trust_tier_enumx, t->pinned_tier), t->pin_reason);
    if (n->earned == TRUST_AUTONOMOUS)
        return out;
    if (trust_tier_by(n->overall) < next)
        out.v[out.n++] = arena_printf(c->arena, "overall is %.3f; %s needs %.2f", n->overall, enumx_name(&trust_tier_enumx, (int)next),
                                      trust_tier_floor(next));
    trust_say_waits(c, t, &out);
    return out;
}

err trust_view(struct ctx *c, struct uuid agent_id, struct trust_view *out)
{
    struct agent_trust t;
    struct trust_now n;

    TRY(trust_see(c, agent_id, &t));
    trust_at(&t, c->now, &n);
    *out = (struct trust_view){
        .agent_id = agent_id, .name = t.name, .dimensions = trust_bars(c, n.d, t.d), .overall = n.overall, .overall_stored = t.overall,
        .tier = n.tier, .earned_tier = n.earned, .pin_reason = t.pin_reason, .evaluation_count = t.evaluation_count,
        .pinned_tier = t.pinned_tier >= 0 ? enumx_name(&trust_tier_enumx, t.pinned_tier) : NULL, .last_evaluated_at = t.last_evaluated_at,
        .tier_since = t.tier_since, .last_demoted_at = t.last_demoted_at, .limited_at = t.limited_at,
        .why_not_higher = trust_why(c, &t, &n),
    };
    TRY(trust_view_store_goals(c, agent_id, access_spaces(c), &out->goals));
    TRY(trust_view_store_open(c, agent_id, &out->open_items));
    return trust_view_store_history(c, agent_id, &out->history);
}

/* ---- a team */

static void trust_mean(const struct agent_trust *v, size_t n, struct instant now, double d[TRUST_DIMENSIONS])
{
    double weights = 0;
    struct trust_now one;

    d[TRUST_SAFETY] = 1;
    for (size_t i = 0; i < n; i++) {
        double weight = (double)v[i].evaluation_count + 1;

        trust_at(&v[i], now, &one);
        weights += weight;
        for (int k = 0; k < TRUST_DIMENSIONS; k++)
            if (k != TRUST_SAFETY)
                d[k] += weight * one.d[k];
            else if (one.d[k] < d[k])
                d[k] = one.d[k];
    }
    for (int k = 0; k < TRUST_DIMENSIONS; k++)
        if (k != TRUST_SAFETY)
            d[k] = weights > 0 ? d[k] / weights : TRUST_MIDDLE;
}

err trust_of_team(struct ctx *c, struct uuid team_id, struct team_trust *out)
{
    double d[TRUST_DIMENSIONS] = {0};
    struct list members;
    struct team team;
    bool leads = true;

    TRY(team_get(c, team_id, &team));
    if (c->who->kind == PRINCIPAL_AGENT)
        TRY(trust_view_store_leads_team(c, c->who->id, team_id, &leads));
    if (!leads)
        return fail(c, ERR_NOT_FOUND, "no such team");
    TRY(trust_view_store_team(c, team_id, &members));
    trust_mean(members.v, members.n, c->now, d);
    *out = (struct team_trust){.team_id = team_id, .members = (int64_t)members.n, .dimensions = trust_bars(c, d, d),
                               .overall = trust_overall(d), .tier = trust_tier_by(trust_overall(d))};
    return ERR_OK;
}

/* ---- what it knows and holds */

/* What the agent itself may read; *out NULL: it is out of service. */
static err trust_reach(struct ctx *c, struct uuid agent_id, const struct access **out)
{
    const struct agent_self self = {c->who, c->access};
    err e = access_as_agent(c, c->account_id, agent_id);

    *out = e == ERR_OK ? c->access : NULL;
    agent_stand_down(c, &self);
    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return ERR_OK;
    }
    return e;
}

static err trust_add_spaces(struct ctx *c, struct trust_overview *out)
{
    const struct access *reach;
    struct uuid *both;
    struct trust_space *v;
    size_t n = 0;

    TRY(trust_reach(c, out->agent_id, &reach));
    if (!reach)
        return ERR_OK;
    both = ARENA_ARRAY(c->arena, struct uuid, reach->n + 1);
    for (size_t i = 0; i < reach->n; i++)
        if (access_may_read(c, reach->spaces[i].space_id))
            both[n++] = reach->spaces[i].space_id;
    out->spaces_of_agent = (int64_t)reach->n;
    TRY(trust_view_store_spaces(c, both, n, &out->spaces));
    v = out->spaces.v;
    for (size_t i = 0; i < out->spaces.n; i++)
        v[i].level = enumx_name(&access_level_enumx, (int)access_level(reach, v[i].space_id));
    return ERR_OK;
}

err trust_overview(struct ctx *c, struct uuid agent_id, struct trust_overview *out)
{
    struct agent_trust t;
    struct trust_now n;

    TRY(trust_see(c, agent_id, &t));
    trust_at(&t, c->now, &n);
    *out = (struct trust_overview){.agent_id = agent_id, .name = t.name, .overall = n.overall, .tier = n.tier, .limited_at = t.limited_at};
    TRY(trust_view_store_memories(c, agent_id, access_spaces(c), &out->memories));
    TRY(trust_view_store_open(c, agent_id, &out->open_items));
    TRY(trust_view_store_tokens(c, agent_id, &out->tokens, &out->last_active_at));
    return trust_add_spaces(c, out);
}
