/* From decisions to suggestions; see tuning.h. */
#include "tuning.h"

#include <math.h>

#include "intervention.h"
#include "recommendation.h"
#include "tuning_store.h"

#define Z95 1.959964

err tuning_list(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    return tuning_store_list(c, behind, (struct instant){c->now.us - TUNING_DAYS * (int64_t)DAY_US}, limit, out);
}

err tuning_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return tuning_store_due(c, above, (struct instant){c->now.us - TUNING_DAYS * (int64_t)DAY_US}, ids, max, n);
}

void tuning_interval(int64_t hits, int64_t n, double *low, double *high)
{
    double all = (double)n, p = (double)hits / all, zz = Z95 * Z95;
    double middle = p + zz / (2 * all), half = Z95 * sqrt(p * (1 - p) / all + zz / (4 * all * all)), under = 1 + zz / all;

    *low = fmax((middle - half) / under, 0);
    *high = fmin((middle + half) / under, 1);
}

static struct json *tuning_evidence(struct ctx *c, const struct tuning *t, double *sure)
{
    double share = (double)t->approved / (double)t->decided, low, high;
    struct json *o = json_obj(c->arena);

    tuning_interval(t->approved, t->decided, &low, &high);
    json_set_int(c->arena, o, "n", t->decided);
    json_set_int(c->arena, o, "approved", t->approved);
    json_set(c->arena, o, "share", json_num(c->arena, round(share * 1e4) / 1e4));
    json_set(c->arena, o, "low", json_num(c->arena, round(low * 1e4) / 1e4));
    json_set(c->arena, o, "high", json_num(c->arena, round(high * 1e4) / 1e4));
    json_set_int(c->arena, o, "days", TUNING_DAYS);
    *sure = share > .5 ? low : 1 - high;
    return o;
}

static struct json *tuning_policy(struct ctx *c, const struct tuning *t, enum intervention_rule rule)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "agent_id", arena_strdup(c->arena, UUID_STR(t->agent_id)));
    json_set_str(c->arena, o, "action_category", enumx_name(&intervention_category_enumx, ACTION_PROPOSAL));
    json_set_str(c->arena, o, "policy", enumx_name(&intervention_rule_enumx, (int)rule));
    return o;
}

err tuning_suggest(struct ctx *c, const struct tuning *t, bool *made)
{
    bool good = (double)t->approved > TUNING_GOOD * (double)t->decided && !t->late_rejected && !t->has_policy;
    bool bad = (double)t->approved < TUNING_BAD * (double)t->decided;
    struct recommendation r = {.recommendation_type = good ? ADVISE_POLICY : ADVISE_QUALITY, .target_kind = "agent",
                               .target_id = t->agent_id, .agent_id = t->agent_id, .priority = good ? URGENCY_LOW : URGENCY_HIGH};

    *made = false;
    if (!good && !bad)
        return ERR_OK;
    r.evidence = tuning_evidence(c, t, &r.confidence);
    r.recommended_config = tuning_policy(c, t, good ? RULE_AUTO_APPROVE : RULE_REQUIRE_APPROVAL);
    r.title = good ? arena_printf(c->arena, "Approve proposals of %s without a review", t->name)
                   : arena_printf(c->arena, "Most proposals of %s are rejected", t->name);
    r.description = good ? "Nearly all its proposals were approved. Critical ones and changes of code are still reviewed by people."
                         : "Have each of its proposals approved by a person, or block them, and look at what it was told to do.";
    return recommendation_add(c, &r, made);
}
