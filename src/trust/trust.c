/* What moves trust, and what follows: tier, mirror, emergency; see trust_impl.h. */
#include <math.h>

#include "access.h"
#include "agent.h"
#include "audit.h"
#include "db.h"
#include "escalation.h"
#include "trust_decay.h"
#include "trust_store.h"

err trust_take(struct ctx *c, struct uuid agent_id, struct agent_trust *out)
{
    bool found;

    TRY(trust_store_get(c, agent_id, true, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such agent");
}

err trust_tier_of(struct ctx *c, struct uuid agent_id, enum trust_tier *out)
{
    struct agent_trust t;
    struct trust_now now;
    bool found;

    TRY(trust_store_get(c, agent_id, false, &found, &t));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such agent");
    trust_at(&t, c->now, &now);
    *out = now.tier;
    return ERR_OK;
}

/* ---- one step */

struct json *trust_json(struct ctx *c, const struct agent_trust *t)
{
    struct json *o = json_obj(c->arena);
    struct trust_now now;

    trust_at(t, c->now, &now);
    for (int i = 0; i < TRUST_DIMENSIONS; i++)
        json_set(c->arena, o, enumx_name(&trust_dimension_enumx, i), json_num(c->arena, now.d[i]));
    json_set(c->arena, o, "overall", json_num(c->arena, now.overall));
    json_set_str(c->arena, o, "tier", enumx_name(&trust_tier_enumx, (int)now.tier));
    return o;
}

static void trust_set_tier(struct agent_trust *t, enum trust_tier tier, struct instant now)
{
    if (tier == t->tier)
        return;
    if (tier < t->tier)
        t->last_demoted_at = now;
    t->tier = tier;
    t->tier_since = now;
}

/* What the agent says of itself leaves the clock of its idleness alone, so the step is put under what idleness took. */
static void trust_step_own(struct agent_trust *t, const struct trust_item *item, const struct trust_now *n, double kept)
{
    for (int i = 0; i < TRUST_DIMENSIONS; i++) {
        double d = n->d[i] + TRUST_STEP * (item->x[i] - n->d[i]);

        if (d < n->d[i])
            t->d[i] = d > TRUST_MIDDLE ? TRUST_MIDDLE + (d - TRUST_MIDDLE) / kept : d;
    }
}

static void trust_step_others(struct agent_trust *t, const struct trust_item *item, const struct trust_now *n, struct instant now)
{
    for (int i = 0; i < TRUST_DIMENSIONS; i++)
        t->d[i] = n->d[i] + (isnan(item->x[i]) ? 0 : TRUST_STEP * (item->x[i] - n->d[i]));
    t->d[TRUST_QUALITY] = fmin(1, fmax(0, t->d[TRUST_QUALITY] + item->shift));
    t->evaluation_count += item->shift == 0;
    t->last_evaluated_at = now;
    t->decayed_at = (struct instant){0};
}

/* Whatever else is said, a violation takes the tier, the pin and the right to write. */
static void trust_alarm(struct agent_trust *t, struct instant now)
{
    t->d[TRUST_SAFETY] = fmax(0, t->d[TRUST_SAFETY] - 0.3);
    t->tier = TRUST_SUPERVISED;
    t->tier_since = t->last_demoted_at = t->limited_at = now;
    t->pinned_tier = -1;
    t->pin_reason = NULL;
}

static void trust_step(struct agent_trust *t, const struct trust_item *item, struct instant now)
{
    struct trust_now n;

    trust_at(t, now, &n);
    if (item->own)
        trust_step_own(t, item, &n, trust_kept(t, now));
    else
        trust_step_others(t, item, &n, now);
    if (item->violation)
        trust_alarm(t, now);
    trust_at(t, now, &n);
    t->overall = n.overall;
    trust_set_tier(t, n.earned, now);
}

/* ---- storing */

static err trust_note(struct ctx *c, const char *kind, const struct agent_trust *was, const struct agent_trust *t)
{
    return audit_add(c, &(struct audit){.kind = kind, .subject_kind = "agent", .subject_id = t->agent_id, .is_news = true,
                                        .before = trust_json(c, was), .after = trust_json(c, t)});
}

err trust_save(struct ctx *c, const struct agent_trust *was, const struct agent_trust *t)
{
    TRY(trust_store_save(c, t, 1));
    if (!was->limited_at.us != !t->limited_at.us)
        TRY(agent_limit(c, t->agent_id, t->limited_at.us != 0));
    if (was->tier == t->tier && was->pinned_tier == t->pinned_tier)
        return ERR_OK;
    TRY(trust_note(c, "trust.tier", was, t));
    return access_changed(c);
}

/* Until that is lifted, a second one is seen with the first. */
static err trust_call_people(struct ctx *c, const struct agent_trust *t, const struct trust_item *item)
{
    return escalation_raise(c, &(struct escalation_raise){
        .agent_id = t->agent_id, .escalation_type = "security_issue", .severity = "critical", .context = item->inputs,
        .title = arena_printf(c->arena, "Safety of %s: its tokens may only read", t->name),
        .dedup = arena_printf(c->arena, "trust:%s", UUID_STR(t->agent_id))}, NULL);
}

err trust_apply(struct ctx *c, struct agent_trust *t, const struct trust_item *items, size_t n, size_t *counted)
{
    struct trust_entry *entries = ARENA_ARRAY(c->arena, struct trust_entry, n + 1);
    bool *seen = ARENA_ARRAY(c->arena, bool, n + 1);
    const struct agent_trust was = *t;

    *counted = 0;
    TRY(trust_store_seen(c, t->agent_id, items, n, seen));
    for (size_t i = 0; i < n; i++) {
        struct json *before = trust_json(c, t);

        for (size_t k = 0; k < i; k++)
            seen[i] |= uuid_eq(items[k].execution_id, items[i].execution_id);
        if (seen[i])
            continue;
        trust_step(t, &items[i], c->now);
        if (items[i].violation)
            TRY(trust_call_people(c, t, &items[i]));
        entries[(*counted)++] = (struct trust_entry){&items[i], before, trust_json(c, t)};
    }
    if (!*counted)
        return ERR_OK;
    TRY(trust_store_add(c, t->agent_id, entries, *counted));
    return trust_save(c, &was, t);
}

/* ---- idleness */

err trust_decay_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return trust_store_due(c, above, ids, max, n);
}

/* It only lowers: so it does not matter how often it runs. */
static void trust_fade(struct agent_trust *t, struct instant now, struct trust_decayed *out)
{
    double before = t->overall;
    enum trust_tier by;
    struct trust_now n;

    trust_at(t, now, &n);
    by = trust_tier_by(n.overall);
    t->overall = n.overall;
    t->decayed_at = now;
    out->decayed += n.overall < before - 1e-9;
    out->demoted += by < t->tier;
    trust_set_tier(t, by < t->tier ? by : t->tier, now);
}

err trust_decay(struct ctx *c, int64_t limit, bool dry, struct trust_decayed *out)
{
    struct list idle;
    struct agent_trust *t, was;

    *out = (struct trust_decayed){0};
    TRY(trust_store_idle(c, limit, &idle));
    out->scanned = (int64_t)idle.n;
    t = idle.v;
    for (size_t i = 0; i < idle.n; i++) {
        was = t[i];
        trust_fade(&t[i], c->now, out);
        if (!dry && t[i].tier != was.tier)
            TRY(trust_note(c, "trust.tier", &was, &t[i]));
    }
    if (dry || !idle.n)
        return ERR_OK;
    TRY(trust_store_save(c, t, idle.n));
    return out->demoted ? access_changed(c) : ERR_OK;
}

/* ---- Loci's own evidence */

struct trust_proof {
    struct uuid agent_id;
    struct trust_item item;
};

static err trust_prove_tx(struct ctx *c, const struct trust_proof *p)
{
    struct agent_trust t;
    size_t counted;
    bool found;

    TRY(trust_store_get(c, p->agent_id, true, &found, &t));
    return found ? trust_apply(c, &t, &p->item, 1, &counted) : ERR_OK;
}
DB_TX_IN_INNER(trust_prove, struct trust_proof)

err trust_evidence(struct ctx *c, struct uuid agent_id, const char *kind, struct uuid subject, double quality)
{
    struct trust_proof p = {.agent_id = agent_id, .item = {.kind = kind, .execution_id = subject, .x = {NAN, NAN, NAN, NAN, NAN}}};
    struct json *said = json_obj(c->arena);

    p.item.x[TRUST_QUALITY] = quality;
    json_set(c->arena, said, "quality", json_num(c->arena, quality));
    p.item.inputs = said;
    return trust_prove(c, &p);
}

err trust_told(struct ctx *c, const struct uuid *agent_id, const char *kind, const struct uuid *subject, double quality)
{
    return trust_evidence(c, *agent_id, kind, *subject, quality);
}
