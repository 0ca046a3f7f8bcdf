/* Operations on versions of skills and their A/B tests. */
#include "diff.h"
#include "skill_calls.h"
#include "skill_test.h"
#include "skill_version.h"

#define TAG .tag = "skills"
#define GRAPH "/api/v1/ai/skill_graph"

static const struct field VERSION_FILTER[] = {
    F_UUID(struct skill_version_filter, id, FIELD_REQUIRED, "id of the skill"),
    F_PAGE(struct skill_version_filter),
    F_END
};

OP_CALL(SKILL_VERSIONS_OP, struct skill_version_filter, struct page, skill_version_list(c, in, out),
        .name = "skill_version.list", .method = "GET", .path = GRAPH "/skills/:id/versions", TAG,
        .summary = "Lists the versions of a skill, newest first, without their texts.", .perm = PERM_SKILLS_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(VERSION_FILTER, struct skill_version_filter),
        OP_GIVE(SKILL_VERSION, struct skill_version));

OP_CALL(SKILL_VERSION_GET, struct thing_key, struct skill_version, skill_version_get(c, in->id, out),
        .name = "skill_version.get", .method = "GET", .path = GRAPH "/versions/:id", TAG, .summary = "Returns one version with its text.",
        .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT, OP_KEY(SKILL_VERSION), OP_GIVE(SKILL_VERSION,
            struct skill_version));

OP_CALL(SKILL_VERSION_ACTIVATE, struct thing_key, struct skill_version, skill_version_activate(c, in, out),
        .name = "skill_version.activate", .method = "POST", .path = GRAPH "/versions/:id/activate", TAG,
        .summary = "Serves this version from now on; an older one is a rollback.", .perm = PERM_SKILLS_MANAGE, .flags = OP_IDEMPOTENT,
        OP_KEY(SKILL_VERSION), OP_GIVE(SKILL_VERSION, struct skill_version));

/* ---- what changed */

struct version_pair {
    struct uuid id, to;
};
struct version_diff {
    const char *from, *to, *diff;
    bool is_cut;
};
static const struct field DIFF_IN[] = {
    F_UUID(struct version_pair, id, FIELD_REQUIRED, "the version before"),
    F_UUID(struct version_pair, to, FIELD_REQUIRED, "the version after"),
    F_END
};
static const struct field DIFF_OUT[] = {
    F_STR(struct version_diff, from, 0, 0, 0, "number of the version before"),
    F_STR(struct version_diff, to, 0, 0, 0, "number of the version after"),
    F_STR(struct version_diff, diff, 0, 0, 0, "lines that went begin with -, new ones with +, others near them with a space"),
    F_BOOL(struct version_diff, is_cut, 0, false, "there is more than what is shown"),
    F_END
};

static err version_diff_show(struct ctx *c, const struct version_pair *in, struct version_diff *out)
{
    struct skill_version a, b;
    const struct json *rows;
    struct json *diff;
    struct buf text;

    TRY(skill_version_get(c, in->id, &a));
    TRY(skill_version_get(c, in->to, &b));
    if (!uuid_eq(a.skill_id, b.skill_id))
        return fail_field(c, "/to", "the two are versions of different skills");
    diff = model_diff(c->arena, a.body, b.body);
    rows = json_get(diff, "rows");
    buf_init(&text, c->arena, 4096);
    for (const struct json *r = rows ? rows->first : NULL; r; r = r->next)
        buf_printf(&text, "%s%s\n", json_get_bool(r, "is_gap", false) ? "..." : json_get_bool(r, "is_gone", false) ? "-" :
            json_get_bool(r, "is_new", false) ? "+" : " ", json_get_bool(r, "is_gap", false) ? "" : json_get_str(r, "text"));
    *out = (struct version_diff){a.semver, b.semver, buf_str(&text), json_get_bool(diff, "is_cut", false)};
    return ERR_OK;
}

OP_CALL(SKILL_VERSION_DIFF, struct version_pair, struct version_diff, version_diff_show(c, in, out),
        .name = "skill_version.diff", .method = "GET", .path = GRAPH "/versions/:id/diff/:to", TAG,
        .summary = "Shows what changed from one version to another.", .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_IN(DIFF_IN, struct version_pair), OP_OUT(DIFF_OUT, struct version_diff));

/* ---- tests */

static const struct field TEST_NEW[] = {
    F_UUID(struct skill_test_new, id, FIELD_REQUIRED, "id of the skill"),
    F_UUID(struct skill_test_new, variant_version_id, FIELD_REQUIRED, "version to try beside the active one"),
    F_NUM(struct skill_test_new, traffic_pct, 0, 0.01, 0.99, 0.2, "share of sessions that get it"),
    F_INT(struct skill_test_new, min_sample, 0, 10, 10000, 30, "outcomes per arm before the first look"),
    F_NUM(struct skill_test_new, confidence, 0, 0.8, 0.999, 0.95, "of the decision"),
    F_END
};

OP_CALL(SKILL_TEST_START, struct skill_test_new, struct skill_test, skill_test_start(c, in, out),
        .name = "skill_test.start", .method = "POST", .path = GRAPH "/skills/:id/ab_test", TAG,
        .summary = "Starts an A/B test: a share of the sessions gets another version.",
        .help = "A session keeps its arm. The test looks at 1, 2, 4 and 8 times min_sample outcomes per arm and ends when one version is "
                "clearly better, or after the fourth look; it stops at once when the variant does clear harm.",
        .perm = PERM_SKILLS_MANAGE, .flags = 0, OP_IN(TEST_NEW, struct skill_test_new), OP_GIVE(SKILL_TEST, struct skill_test));

static const struct field TEST_END[] = {
    F_UUID(struct skill_test_end, id, FIELD_REQUIRED, "id of the skill"),
    F_BOOL(struct skill_test_end, force_winner, 0, false, "serve the version that is ahead, however uncertain that is"),
    F_END
};

OP_CALL(SKILL_TEST_END, struct skill_test_end, struct skill_test, skill_test_end(c, in, out),
        .name = "skill_test.end", .method = "POST", .path = GRAPH "/skills/:id/end_ab_test", TAG,
        .summary = "Ends the running A/B test of a skill; returns the interval of the difference.", .perm = PERM_SKILLS_MANAGE, .flags = 0,
        OP_IN(TEST_END, struct skill_test_end), OP_GIVE(SKILL_TEST, struct skill_test));

OP_CALL(SKILL_TEST_GET, struct thing_key, struct skill_test, skill_test_get(c, in->id, out),
        .name = "skill_test.get", .method = "GET", .path = GRAPH "/skills/:id/ab_test", TAG,
        .summary = "Returns the last A/B test of a skill.", .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_KEY(SKILL_TEST), OP_GIVE(SKILL_TEST, struct skill_test));

const struct op *const skill_version_calls_table[] = {&SKILL_VERSIONS_OP, &SKILL_VERSION_GET, &SKILL_VERSION_ACTIVATE, &SKILL_VERSION_DIFF,
                                                      &SKILL_TEST_START, &SKILL_TEST_END, &SKILL_TEST_GET, NULL};
