/* Evaluations, emergencies, pins; see evaluate.h. */
#include "evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "access.h"
#include "db.h"
#include "escalation.h"
#include "field.h"
#include "trust_store.h"
#include "trust_view.h"

ENUMX_DEFINE(trust_outcome, TRUST_OUTCOME);
ENUMX_DEFINE(trust_harm, TRUST_HARM);
ENUMX_DEFINE(trust_verdict, TRUST_VERDICT);

/* ---- what an evaluation says */

static double trust_cost_input(const struct trust_evaluation *e)
{
    double left = e->budget_left, cheap = 1 - fmin(e->cost_per_1k / 0.05, 1);

    if (e->budget_left < 0)
        return e->cost_per_1k < 0 ? NAN : cheap;
    return e->cost_per_1k < 0 ? left : 0.4 * left + 0.6 * cheap;
}

static double trust_quality_input(const struct trust_evaluation *e)
{
    static const double VERDICTS[] = {[VERDICT_REJECTED] = 0.2, [VERDICT_NEEDS_WORK] = 0.6, [VERDICT_APPROVED] = 0.9};

    if (e->quality_score >= 0)
        return e->quality_score;
    if (e->verdict >= 0)
        return VERDICTS[e->verdict];
    return e->rating >= 0 ? e->rating / 5 : NAN;
}

void trust_inputs(const struct trust_evaluation *e, double x[TRUST_DIMENSIONS])
{
    static const double OUTCOMES[] = {[OUTCOME_FAILED] = 0, [OUTCOME_TIMEOUT] = 0.3, [OUTCOME_CANCELLED] = 0.5, [OUTCOME_WARNINGS] = 0.7,
                                      [OUTCOME_COMPLETED] = 1};
    static const double HARMS[] = {[HARM_VIOLATION] = 0, [HARM_GUARDRAIL] = 0.2, [HARM_PII] = 0.7, [HARM_NONE] = 1};

    x[TRUST_RELIABILITY] = e->outcome >= 0 ? OUTCOMES[e->outcome] : NAN;
    x[TRUST_COST] = trust_cost_input(e);
    x[TRUST_SAFETY] = e->safety >= 0 ? HARMS[e->safety] : NAN;
    x[TRUST_QUALITY] = trust_quality_input(e);
    x[TRUST_SPEED] = e->duration_ms >= 0 ? 1 - fmin((double)e->duration_ms, 30000) / 30000 : NAN;
}

static struct json *trust_said(struct ctx *c, const struct trust_evaluation *e)
{
    struct json *o = json_obj(c->arena);
    const struct { const char *name; double v; } NUMBERS[] = {{"budget_left", e->budget_left}, {"cost_per_1k", e->cost_per_1k},
        {"quality_score", e->quality_score}, {"rating", e->rating}, {"duration_ms", (double)e->duration_ms}};

    if (e->outcome >= 0)
        json_set_str(c->arena, o, "outcome", enumx_name(&trust_outcome_enumx, e->outcome));
    if (e->safety >= 0)
        json_set_str(c->arena, o, "safety", enumx_name(&trust_harm_enumx, e->safety));
    if (e->verdict >= 0)
        json_set_str(c->arena, o, "verdict", enumx_name(&trust_verdict_enumx, e->verdict));
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        if (NUMBERS[i].v >= 0)
            json_set(c->arena, o, NUMBERS[i].name, json_num(c->arena, NUMBERS[i].v));
    return o;
}

/* ---- evaluating */

static int trust_item_by_time(const void *a, const void *b)
{
    const struct trust_item *x = a, *y = b;

    return (x->at.us > y->at.us) - (x->at.us < y->at.us);
}

static err trust_items_of(struct ctx *c, const struct trust_evaluations *in, bool own, struct trust_item *items)
{
    const struct trust_evaluation *e = in->items.v;

    for (size_t i = 0; i < in->items.n; i++) {
        if (e[i].at.us > c->now.us)
            return fail_field(c, arena_printf(c->arena, "/items/%zu/at", i), "it is in the future");
        items[i] = (struct trust_item){.kind = own ? "self_report" : "evaluation", .execution_id = e[i].execution_id, .own = own,
                                       .violation = e[i].safety == HARM_VIOLATION, .inputs = trust_said(c, &e[i]),
                                       .at = e[i].at.us ? e[i].at : c->now};
        trust_inputs(&e[i], items[i].x);
    }
    qsort(items, in->items.n, sizeof *items, trust_item_by_time);
    return ERR_OK;
}

static void trust_answer(struct ctx *c, const struct agent_trust *t, struct trust_evaluated *out)
{
    struct trust_now now;

    trust_at(t, c->now, &now);
    out->agent_id = t->agent_id;
    out->overall = now.overall;
    out->tier = now.tier;
}

static err trust_evaluate_tx(struct ctx *c, const struct trust_evaluations *in, struct trust_evaluated *out)
{
    struct trust_item *items = ARENA_ARRAY(c->arena, struct trust_item, in->items.n + 1);
    struct agent_trust t;
    size_t counted;

    TRY(trust_take(c, in->id, &t));
    TRY(trust_is_seen(c, &t));
    out->own = uuid_eq(c->who->id, in->id);
    if (c->who->kind == PRINCIPAL_USER)
        TRY(access_permit(c, PERM_OVERSIGHT_REVIEW));
    if (!in->items.n)
        return fail_field(c, "/items", "1 to %d evaluations", TRUST_ITEMS);
    TRY(trust_items_of(c, in, out->own, items));
    TRY(trust_apply(c, &t, items, in->items.n, &counted));
    out->counted = (int64_t)counted;
    out->repeated = (int64_t)(in->items.n - counted);
    trust_answer(c, &t, out);
    return ERR_OK;
}
DB_TX(trust_evaluate, struct trust_evaluations, struct trust_evaluated)

/* ---- orders of people */

static struct trust_item trust_order_item(struct ctx *c, const char *kind, const struct trust_order *in)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "reason", in->reason);
    if (in->tier >= 0)
        json_set_str(c->arena, said, "tier", enumx_name(&trust_tier_enumx, in->tier));
    return (struct trust_item){.kind = kind, .execution_id = uuid_new(c->now.us), .x = {NAN, NAN, NAN, NAN, NAN}, .own = true,
                               .inputs = said, .at = c->now};
}

static err trust_emergency_tx(struct ctx *c, const struct trust_order *in, struct trust_evaluated *out)
{
    struct trust_item item = trust_order_item(c, "emergency", in);
    struct agent_trust t;
    size_t counted;

    item.violation = true;
    TRY(trust_take(c, in->id, &t));
    TRY(trust_is_seen(c, &t));
    TRY(trust_apply(c, &t, &item, 1, &counted));
    trust_answer(c, &t, out);
    return ERR_OK;
}
DB_TX(trust_emergency, struct trust_order, struct trust_evaluated)

static err trust_record(struct ctx *c, const char *kind, const struct trust_order *in, const struct agent_trust *was,
                        const struct agent_trust *t, struct trust_evaluated *out)
{
    struct trust_item item = trust_order_item(c, kind, in);

    TRY(trust_store_add(c, t->agent_id, &(struct trust_entry){&item, trust_json(c, was), trust_json(c, t)}, 1));
    trust_answer(c, t, out);
    return trust_save(c, was, t);
}

static err trust_pin_tx(struct ctx *c, const struct trust_order *in, struct trust_evaluated *out)
{
    struct agent_trust was, t;

    TRY(trust_take(c, in->id, &was));
    TRY(trust_is_seen(c, &was));
    if (was.limited_at.us)
        return fail(c, ERR_CONFLICT, "the agent is limited to reading; lift that first");
    t = was;
    t.pinned_tier = in->tier;
    t.pin_reason = in->tier >= 0 ? in->reason : NULL;
    return trust_record(c, in->tier >= 0 ? "pin" : "unpin", in, &was, &t, out);
}
DB_TX(trust_pin, struct trust_order, struct trust_evaluated)

static err trust_lift_tx(struct ctx *c, const struct trust_order *in, struct trust_evaluated *out)
{
    struct agent_trust was, t;

    TRY(trust_take(c, in->id, &was));
    TRY(trust_is_seen(c, &was));
    if (!was.limited_at.us)
        return fail(c, ERR_CONFLICT, "the agent is not limited");
    t = was;
    t.limited_at = (struct instant){0};
    TRY(escalation_auto_resolve(c, arena_printf(c->arena, "trust:%s", UUID_STR(t.agent_id)), in->reason));
    return trust_record(c, "lift", in, &was, &t, out);
}
DB_TX(trust_lift, struct trust_order, struct trust_evaluated)
