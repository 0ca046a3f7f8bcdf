/* A/B tests; see skill_test.h. Each of the four looks is taken at a confidence that leaves the whole test the one that was asked for. */
#include "skill_test.h"

#include <math.h>

#include "db.h"
#include "skill_impl.h"
#include "skill_store.h"
#include "skill_test_store.h"
#include "skill_version_store.h"
#include "thing.h"

ENUMX_DEFINE(skill_test_status, SKILL_TEST_STATUS);

#define HARM_LEAST 10
#define HARM_CONFIDENCE 0.999

static const struct field SKILL_TEST_COLUMNS[] = {
    F_ID(struct skill_test, "id of the test"),
    F_UUID(struct skill_test, skill_id, COL_READ | COL_AUDIT, "the skill"),
    F_UUID(struct skill_test, base_id, COL_READ | COL_AUDIT, "version that was active at the start"),
    F_UUID(struct skill_test, variant_id, COL_READ | COL_AUDIT, "version that is tried"),
    F_UUID(struct skill_test, running, COL_ROW | FIELD_NULLABLE, "the skill while it runs"),
    F_NUM(struct skill_test, traffic_pct, COL_READ, 0, 1, 0.2, "share of sessions that get the variant"),
    F_INT(struct skill_test, min_sample, COL_READ, 0, 0, 30, "outcomes per arm at the first look"),
    F_NUM(struct skill_test, confidence, COL_READ, 0, 1, 0.95, "of the decision over all looks"),
    F_INT(struct skill_test, looks, COL_READ, 0, 0, 0, "looks so far, of four"),
    F_ENUM(struct skill_test, status, COL_READ | COL_AUDIT, skill_test_status, SKILL_TEST_RUNNING, "running, or how it ended",
        .shades = "info ok ok off bad off"),
    F_INT(struct skill_test, base_success, COL_READ, 0, 0, 0, "outcomes of the base: success"),
    F_INT(struct skill_test, base_partial, COL_READ, 0, 0, 0, "outcomes of the base: partial"),
    F_INT(struct skill_test, base_total, COL_READ, 0, 0, 0, "outcomes of the base"),
    F_INT(struct skill_test, variant_success, COL_READ, 0, 0, 0, "outcomes of the variant: success"),
    F_INT(struct skill_test, variant_partial, COL_READ, 0, 0, 0, "outcomes of the variant: partial"),
    F_INT(struct skill_test, variant_total, COL_READ, 0, 0, 0, "outcomes of the variant"),
    F_NUM(struct skill_test, low, COL_READ | FIELD_NULLABLE, -1, 1, 0, "lower end of the last interval of variant minus base"),
    F_NUM(struct skill_test, high, COL_READ | FIELD_NULLABLE, -1, 1, 0, "upper end"),
    F_TIME(struct skill_test, started_at, COL_READ | COL_BORN, "when it began"),
    F_TIME(struct skill_test, ended_at, COL_READ | FIELD_NULLABLE, "when it ended"),
    F_END
};
const struct thing SKILL_TEST = THING("skill_test", SKILL_TEST_COLUMNS, struct skill_test, .schema = "SkillTest",
    .taken = "a test of this skill is running already");

/* ---- beginning */

static err skill_test_start_tx(struct ctx *c, const struct skill_test_new *in, struct skill_test *out)
{
    struct skill_test t = {.skill_id = in->id, .running = in->id, .variant_id = in->variant_version_id, .traffic_pct = in->traffic_pct,
                           .min_sample = in->min_sample, .confidence = in->confidence, .low = NAN, .high = NAN};
    struct skill_version variant;
    struct skill s;
    bool found;

    TRY(skill_take(c, in->id, 0, &s));
    TRY(skill_version_store_get(c, in->variant_version_id, &found, &variant));
    if (!found || !uuid_eq(variant.skill_id, s.id))
        return fail_field(c, "/variant_version_id", "the skill has no such version");
    if (uuid_eq(variant.id, s.active_version_id))
        return fail_field(c, "/variant_version_id", "this version is the active one");
    if (skill_flags_of(c, "", variant.body).n)
        TRY(access_permit(c, PERM_SKILLS_REVIEW));
    t.base_id = s.active_version_id;
    TRY(thing_begin(c, &SKILL_TEST, &t));
    TRY(thing_insert(c, &SKILL_TEST, &t));
    *out = t;
    return ERR_OK;
}
DB_TX(skill_test_start, struct skill_test_new, struct skill_test)

/* ---- looking */

static struct skill_interval skill_test_interval(const struct skill_test *t, double confidence)
{
    struct skill_arm base = {(double)t->base_success + .5 * (double)t->base_partial, t->base_total};
    struct skill_arm variant = {(double)t->variant_success + .5 * (double)t->variant_partial, t->variant_total};

    return skill_newcombe(base, variant, skill_z_of(confidence));
}

static bool skill_test_is_due(const struct skill_test *t)
{
    int64_t need = t->min_sample << t->looks;

    return t->looks < SKILL_TEST_LOOKS && t->base_total >= need && t->variant_total >= need;
}

/* Sets the interval, and the status where it is clear. */
static void skill_test_look(struct skill_test *t)
{
    struct skill_interval harm = skill_test_interval(t, HARM_CONFIDENCE), i;

    if (t->variant_total >= HARM_LEAST && harm.high < 0) {
        t->status = SKILL_TEST_HARM_STOPPED;
        t->low = harm.low, t->high = harm.high;
        return;
    }
    if (!skill_test_is_due(t))
        return;
    i = skill_test_interval(t, 1 - (1 - t->confidence) / SKILL_TEST_LOOKS);
    t->low = i.low, t->high = i.high;
    t->looks++;
    if (i.low > 0)
        t->status = SKILL_TEST_VARIANT_WON;
    else if (i.high < 0)
        t->status = SKILL_TEST_BASE_WON;
    else if (t->looks == SKILL_TEST_LOOKS)
        t->status = SKILL_TEST_INCONCLUSIVE;
}

/* Ends with the status that it has; the winner is served. Nobody's grant is asked: whoever started the test decided that. */
static err skill_test_close(struct ctx *c, const struct skill_test *was, struct skill_test *t, bool switches)
{
    t->running = (struct uuid){{0}};
    t->ended_at = c->now;
    if (switches)
        TRY(skill_version_store_activate(c, t->skill_id, t->variant_id));
    return thing_note(c, &SKILL_TEST, "end", t->id, field_encode_use(c->arena, SKILL_TEST_COLUMNS, COL_AUDIT, was),
        field_encode_use(c->arena, SKILL_TEST_COLUMNS, COL_AUDIT, t));
}

err skill_test_count(struct ctx *c, const struct skill_usage *u, const struct skill_outcomes *more, const char **status)
{
    struct skill_test t, was;
    bool found;

    TRY(skill_test_store_get(c, u->test_id, &found, &t));
    if (!found || t.status != SKILL_TEST_RUNNING)
        return ERR_OK;
    was = t;
    if (uuid_eq(u->version_id, t.variant_id))
        t.variant_success += more->success, t.variant_partial += more->partial, t.variant_total++;
    else
        t.base_success += more->success, t.base_partial += more->partial, t.base_total++;
    skill_test_look(&t);
    if (t.status != SKILL_TEST_RUNNING)
        TRY(skill_test_close(c, &was, &t, t.status == SKILL_TEST_VARIANT_WON));
    *status = enumx_name(&skill_test_status_enumx, (int)t.status);
    return skill_test_store_save(c, &t);
}

/* ---- ending and reading */

static err skill_test_end_tx(struct ctx *c, const struct skill_test_end *in, struct skill_test *out)
{
    struct skill_interval i;
    struct skill_test was;
    struct skill s;
    bool found;

    TRY(skill_take(c, in->id, 0, &s));
    TRY(skill_test_store_last(c, in->id, &found, &was));
    if (found)
        TRY(skill_test_store_get(c, was.id, &found, &was));
    if (!found || was.status != SKILL_TEST_RUNNING)
        return fail_reason(c, ERR_CONFLICT, "test_state", "no test of this skill is running");
    *out = was;
    i = skill_test_interval(out, out->confidence);
    out->low = i.low, out->high = i.high;
    out->status = in->force_winner && i.low + i.high > 0 ? SKILL_TEST_VARIANT_WON : in->force_winner ? SKILL_TEST_BASE_WON
                                                                                                      : SKILL_TEST_CANCELLED;
    TRY(skill_test_close(c, &was, out, out->status == SKILL_TEST_VARIANT_WON));
    return skill_test_store_save(c, out);
}
DB_TX(skill_test_end, struct skill_test_end, struct skill_test)

err skill_test_get(struct ctx *c, struct uuid skill_id, struct skill_test *out)
{
    struct skill s;
    bool found;

    TRY(skill_get(c, skill_id, &s));
    TRY(skill_test_store_last(c, skill_id, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "this skill has had no test");
}

err skill_test_choose(struct ctx *c, const char *key, struct skill_served *v, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    const struct skill_test *tests;
    struct list running;

    for (size_t i = 0; i < n; i++)
        ids[i] = v[i].skill->id;
    TRY(skill_test_store_running(c, ids, n, &running));
    tests = running.v;
    for (size_t k = 0; k < running.n; k++)
        for (size_t i = 0; i < n; i++)
            if (key && uuid_eq(v[i].skill->id, tests[k].skill_id)) {
                v[i].test_id = tests[k].id;
                v[i].version_id = skill_test_takes_variant(tests[k].id, key, tests[k].traffic_pct) ? tests[k].variant_id : tests[k].base_id;
            }
    return ERR_OK;
}
