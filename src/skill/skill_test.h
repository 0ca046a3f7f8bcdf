/* A/B tests: two versions of a skill served side by side until it is clear which one is better. */
#ifndef LOCI_SKILL_TEST_H
#define LOCI_SKILL_TEST_H

#include "ctx.h"
#include "enumx.h"
#include "skill_score.h"
#include "skill_usage.h"
#include "thing_table.h"

#define SKILL_TEST_STATUS(X) \
    X(SKILL_TEST_RUNNING, "running") X(SKILL_TEST_VARIANT_WON, "variant_won") X(SKILL_TEST_BASE_WON, "base_won") \
    X(SKILL_TEST_INCONCLUSIVE, "inconclusive") X(SKILL_TEST_HARM_STOPPED, "harm_stopped") X(SKILL_TEST_CANCELLED, "cancelled")
ENUMX_DECLARE(skill_test_status, SKILL_TEST_STATUS);

#define SKILL_TEST_LOOKS 4

struct skill_test {
    struct uuid id, skill_id, base_id, variant_id, running;
    double traffic_pct;
    int64_t min_sample;
    double confidence;
    int64_t looks;
    enum skill_test_status status;
    int64_t base_success, base_partial, base_total, variant_success, variant_partial, variant_total;
    double low, high; /* of the last interval; NaN: none yet */
    struct instant started_at, ended_at;
};
extern const struct thing SKILL_TEST;

struct skill_test_new {
    struct uuid id, variant_version_id; /* of the skill, of the version that is tried */
    double traffic_pct, confidence;
    int64_t min_sample;
};
/* One at a time: else ERR_CONFLICT. */
err skill_test_start(struct ctx *c, const struct skill_test_new *in, struct skill_test *out);
struct skill_test_end {
    struct uuid id;    /* of the skill */
    bool force_winner; /* activate the variant if it is ahead */
};
/* With the interval of now; switches nothing unless forced. */
err skill_test_end(struct ctx *c, const struct skill_test_end *in, struct skill_test *out);
/* The running one of the skill, else the last; ERR_NOT_FOUND. */
err skill_test_get(struct ctx *c, struct uuid skill_id, struct skill_test *out);

/* For serving: those of v with a running test get the version of their arm. key NULL: nobody knows who asks, so the base. */
err skill_test_choose(struct ctx *c, const char *key, struct skill_served *v, size_t n);
/* For outcomes, inside their transaction: counts it, looks when it is time, ends the test when it is clear. */
err skill_test_count(struct ctx *c, const struct skill_usage *u, const struct skill_outcomes *more, const char **status);

#endif
