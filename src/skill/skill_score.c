/* Formulas of skills; see skill_score.h. */
#include "skill_score.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "lifecycle.h"
#include "str.h"

#define IDLE_DAYS 30.0
#define IDLE_HALF_LIFE 180.0
#define IDLE_LEAST 0.2
#define TREND_STEP 0.05
#define TREND_LEAST 5

double skill_effectiveness(double confidence, const struct skill_outcomes *o, double learnings)
{
    double tried = ((double)o->success + .5 * (double)o->partial + 1) / ((double)(o->success + o->failure + o->partial) + 2);

    return lifecycle_round(.3 * confidence + .5 * tried + .2 * (isnan(learnings) ? .5 : learnings));
}

double skill_effectiveness_now(double effectiveness, int64_t used_us, int64_t now_us)
{
    double idle = (double)(now_us - used_us) / (double)DAY_US;

    if (idle <= IDLE_DAYS)
        return effectiveness;
    return lifecycle_round(effectiveness * fmax(IDLE_LEAST, exp2(-(idle - IDLE_DAYS) / IDLE_HALF_LIFE)));
}

static int64_t skill_outcomes_n(const struct skill_outcomes *o)
{
    return o->success + o->failure + o->partial;
}

const char *skill_trend(const struct skill_outcomes *now, const struct skill_outcomes *before)
{
    double step;

    if (skill_outcomes_n(now) < TREND_LEAST || skill_outcomes_n(before) < TREND_LEAST)
        return "stable";
    step = (double)now->success / (double)skill_outcomes_n(now) - (double)before->success / (double)skill_outcomes_n(before);
    return step > TREND_STEP ? "up" : step < -TREND_STEP ? "down" : "stable";
}

/* ---- A/B tests */

/* Wilson's interval of one share. */
static struct skill_interval skill_wilson(struct skill_arm a, double z)
{
    double n = (double)a.n, p = n > 0 ? a.good / n : 0, zz = z * z;
    double middle = (p + zz / (2 * n)) / (1 + zz / n), half = z * sqrt(p * (1 - p) / n + zz / (4 * n * n)) / (1 + zz / n);

    return n > 0 ? (struct skill_interval){middle - half, middle + half} : (struct skill_interval){0, 1};
}

struct skill_interval skill_newcombe(struct skill_arm base, struct skill_arm variant, double z)
{
    struct skill_interval b = skill_wilson(base, z), v = skill_wilson(variant, z);
    double pb = base.n ? base.good / (double)base.n : .5, pv = variant.n ? variant.good / (double)variant.n : .5, d = pv - pb;

    return (struct skill_interval){d - sqrt((pv - v.low) * (pv - v.low) + (b.high - pb) * (b.high - pb)),
                                   d + sqrt((v.high - pv) * (v.high - pv) + (pb - b.low) * (pb - b.low))};
}

double skill_z_of(double confidence)
{
    double low = 0, high = 10;

    for (int i = 0; i < 60; i++) {
        double z = (low + high) / 2;

        if (erf(z / sqrt(2)) < confidence)
            low = z;
        else
            high = z;
    }
    return low;
}

bool skill_test_takes_variant(struct uuid test, const char *key, double traffic)
{
    uint8_t sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, test.b, sizeof test.b);
    crypto_hash_sha256_update(&state, (const uint8_t *)key, strlen(key));
    crypto_hash_sha256_final(&state, sum);
    return ((uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3]) / 4294967296.0 < traffic;
}
