/* Uses of skills: which version was served to whom, and how it went. */
#ifndef LOCI_SKILL_USAGE_H
#define LOCI_SKILL_USAGE_H

#include "ctx.h"
#include "enumx.h"
#include "page.h"
#include "skill.h"
#include "skill_score.h"
#include "thing_table.h"

#define SKILL_EXECUTION 128
#define SKILL_NOTE 500
#define SKILL_SERVED_AT_ONCE 64

#define SKILL_OUTCOME(X) X(SKILL_SUCCESS, "success") X(SKILL_FAILURE, "failure") X(SKILL_PARTIAL, "partial")
ENUMX_DECLARE(skill_outcome, SKILL_OUTCOME);

struct skill_usage {
    struct uuid id, skill_id, version_id, test_id, agent_id;
    const char *session_id, *execution_id, *outcome;
    struct instant served_at, outcome_at;
    int64_t duration_ms;
    const char *context_summary;
};
extern const struct thing SKILL_USAGE;

/* ---- serving */

/* What a skill is served with: the version that is active, or the variant of a running test. */
struct skill_served {
    struct skill *skill; /* body is that of the version */
    struct uuid version_id, test_id, usage_id;
    const char *semver;
};
struct skill_serving {
    struct uuid agent_id;   /* nil: the caller, if it is an agent */
    const char *session_id; /* NULL: none */
    const char *summary;    /* what it was for */
};
/* Chooses versions and reads their texts … */
err skill_serve_choose(struct ctx *c, const struct skill_serving *to, struct skill_served *v, size_t n);
/* … and writes one row for each that was given, in one statement. */
err skill_serve_note(struct ctx *c, const struct skill_serving *to, struct skill_served *v, size_t n);

/* ---- outcomes */

struct skill_outcome_in {
    struct given given;
    struct uuid usage_id, skill_id, version_id;
    enum skill_outcome outcome;
    bool success; /* for callers that know no more */
    const char *execution_id, *session_id, *note, *bad_pattern;
    int64_t duration_ms;
};
struct skill_outcome_out {
    struct uuid skill_id, version_id, usage_id;
    const char *credited; /* usage, version, served or active: how the version was found */
    const char *outcome;
    bool duplicate;
    double effectiveness;
    struct uuid bad_pattern_id;
    const char *test; /* status of the A/B test it counted in; NULL: none */
};
/* Credits the version that was served. The same execution again: the first result. */
err skill_outcome_record(struct ctx *c, const struct skill_outcome_in *in, struct skill_outcome_out *out);

struct skill_usage_filter {
    struct uuid id; /* of the skill */
    int64_t limit;
    const char *cursor;
};
err skill_usage_list(struct ctx *c, const struct skill_usage_filter *f, struct page *out);
/* Outcomes recorded between two instants; for the rooms above, which have read the skill. */
err skill_usage_between(struct ctx *c, struct uuid skill_id, struct instant from, struct instant to, struct skill_outcomes *out);

#endif
