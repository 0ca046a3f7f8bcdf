/* Which policy holds for an action, and why the others do not; see intervention.h. */
#include "agent.h"
#include "db.h"
#include "intervention.h"
#include "intervention_store.h"
#include "notification.h"
#include "principal.h"
#include "trust.h"
#include "user.h"

/* ---- matching */

struct resolving {
    const struct intervention_question *q;
    int tier; /* of the agent; -1: there is none, or not asked for yet */
    bool knows_tier;
};

static err resolve_tier(struct ctx *c, struct resolving *r)
{
    enum trust_tier tier;

    if (r->knows_tier || uuid_is_nil(r->q->agent_id))
        return ERR_OK;
    TRY(trust_tier_of(c, r->q->agent_id, &tier));
    r->tier = (int)tier;
    r->knows_tier = true;
    return ERR_OK;
}

/* *why NULL: it matches. */
static err resolve_match(struct ctx *c, struct resolving *r, const struct intervention *p, const struct intervention_conditions *k,
    const char **why)
{
    *why = NULL;
    if (!uuid_is_nil(p->user_id) && !uuid_eq(p->user_id, r->q->user_id))
        *why = "it is for another person";
    else if (!uuid_is_nil(p->agent_id) && !uuid_eq(p->agent_id, r->q->agent_id))
        *why = "it is for another agent";
    else if (k->severity_max >= 0 && (int)r->q->severity > k->severity_max)
        *why = "the action is more severe than it allows";
    if (*why || k->trust_tier_minimum < 0)
        return ERR_OK;
    TRY(resolve_tier(c, r));
    if (r->tier < k->trust_tier_minimum)
        *why = "the agent is not trusted so far";
    return ERR_OK;
}

/* Does a win against b? why: the rule that says so. */
static bool resolve_wins(const struct intervention *a, const struct intervention *b, const char **why)
{
    const int64_t ranks[][2] = {
        {!uuid_is_nil(a->user_id), !uuid_is_nil(b->user_id)},
        {!uuid_is_nil(a->agent_id), !uuid_is_nil(b->agent_id)},
        {a->action_category != ACTION_ALL, b->action_category != ACTION_ALL},
        {a->priority, b->priority},
        {(int64_t)a->policy, (int64_t)b->policy},
    };
    static const char *const WHY[] = {"one for this person goes first", "one for this agent goes first", "one for this action goes first",
        "another has a higher priority", "another is stricter"};

    for (size_t i = 0; i < sizeof WHY / sizeof *WHY; i++)
        if (ranks[i][0] != ranks[i][1]) {
            *why = WHY[i];
            return ranks[i][0] > ranks[i][1];
        }
    *why = "another is older";
    return uuid_cmp(a->id, b->id) < 0;
}

/* ---- what the winner says, here and now */

static err resolve_daily(struct ctx *c, const struct intervention_question *q, const struct intervention_conditions *k,
    struct intervention_answer *out)
{
    int64_t told;

    if (out->policy != RULE_NOTIFY || k->max_daily_notifications == FIELD_NONE ||
        q->severity == URGENCY_CRITICAL || uuid_is_nil(q->user_id))
        return ERR_OK;
    TRY(intervention_store_told(c, q->user_id, (struct instant){c->now.us - c->now.us % DAY_US}, &told));
    if (told >= k->max_daily_notifications) {
        out->policy = RULE_SILENT;
        out->reason = "the person has been told often enough today";
    }
    return ERR_OK;
}

static err resolve_apply(struct ctx *c, const struct intervention_question *q, const struct intervention *p,
    const struct intervention_conditions *k, struct intervention_answer *out)
{
    out->policy_id = p->id;
    out->policy = p->policy;
    out->channels = p->preferred_channels;
    out->reason = "it is what the policy wants";
    if (p->policy == RULE_SILENT && q->severity == URGENCY_CRITICAL) {
        out->policy = RULE_REQUIRE_APPROVAL;
        out->reason = "nothing critical is silent";
    }
    if (k->quiet_hours)
        out->deliver_at = quiet_hours_end(c->arena, k->quiet_hours, c->now);
    return resolve_daily(c, q, k, out);
}

static struct strs resolve_default_channels(struct ctx *c)
{
    struct strs s = {ARENA_ARRAY(c->arena, const char *, 1), 1};

    s.v[0] = "notification";
    return s;
}

/* What matches, and the best of it: n where nothing does. */
static err resolve_choose(struct ctx *c, struct resolving *r, const struct intervention *v, size_t n, struct intervention_conditions *k,
    struct intervention_considered *rows, size_t *best)
{
    const char *why;

    *best = n;
    for (size_t i = 0; i < n; i++) {
        TRY(intervention_read_conditions(c, v[i].conditions, &k[i]));
        TRY(resolve_match(c, r, &v[i], &k[i], &why));
        rows[i] = (struct intervention_considered){v[i].id, v[i].scope, v[i].action_category, v[i].policy, v[i].priority, false, why};
        if (!why && (*best == n || resolve_wins(&v[i], &v[*best], &why)))
            *best = i;
    }
    for (size_t i = 0; i < n; i++)
        if (!rows[i].why && i != *best)
            resolve_wins(&v[*best], &v[i], &rows[i].why);
    return ERR_OK;
}

err intervention_resolve(struct ctx *c, const struct intervention_question *q, struct intervention_answer *out)
{
    struct resolving r = {.q = q, .tier = -1};
    struct intervention_considered *rows;
    struct intervention_conditions *k;
    const struct intervention *v;
    struct list all;
    size_t best;

    TRY(intervention_store_candidates(c, enumx_name(&intervention_category_enumx, (int)q->action_category), &all));
    v = all.v;
    rows = ARENA_ARRAY(c->arena, struct intervention_considered, all.n + 1);
    k = ARENA_ARRAY(c->arena, struct intervention_conditions, all.n + 1);
    TRY(resolve_choose(c, &r, v, all.n, k, rows, &best));
    *out = (struct intervention_answer){.policy = RULE_REQUIRE_APPROVAL, .channels = resolve_default_channels(c),
        .reason = "no policy matches", .considered = {rows, all.n}};
    if (best == all.n)
        return ERR_OK;
    rows[best].won = true;
    rows[best].why = "it goes first";
    return resolve_apply(c, q, &v[best], &k[best], out);
}

err intervention_ask(struct ctx *c, const struct intervention_question *q, struct intervention_answer *out)
{
    struct agent agent;
    struct user user;

    if (!uuid_is_nil(q->agent_id))
        TRY(agent_get(c, q->agent_id, &agent));
    if (!uuid_is_nil(q->user_id))
        TRY(user_get(c, q->user_id, &user));
    return intervention_resolve(c, q, out);
}

bool intervention_tells(const struct intervention_answer *a, const char *channel)
{
    for (size_t i = 0; i < a->channels.n; i++)
        if (str_eq(a->channels.v[i], channel))
            return a->policy != RULE_SILENT;
    return false;
}

err intervention_alert(struct ctx *c, const struct uuid *user_id, int severity, struct notification_rule *out)
{
    struct intervention_question q = {ACTION_ALERT, c->who->id, *user_id, (enum urgency)severity};
    struct intervention_answer a;

    TRY(intervention_resolve(c, &q, &a));
    *out = (struct notification_rule){a.policy == RULE_BLOCK, !intervention_tells(&a, "notification"), a.deliver_at};
    return ERR_OK;
}
