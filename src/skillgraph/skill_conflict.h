/* Conflicts between skills: found by a scan, judged by people, some resolved by a machine. */
#ifndef LOCI_SKILL_CONFLICT_H
#define LOCI_SKILL_CONFLICT_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define CONFLICTS_OPEN 10000
#define CONFLICT_QUIET_DAYS 30 /* after it was decided, the same one is not raised unless a skill changed */

#define SKILL_CONFLICT_TYPE(X) \
    X(CONFLICT_OVERLAP, "overlap") X(CONFLICT_CONTRADICTION, "contradiction") X(CONFLICT_DEPENDENCY, "dependency") \
    X(CONFLICT_VERSION, "version_mismatch") X(CONFLICT_NAMING, "naming")
ENUMX_DECLARE(skill_conflict_type, SKILL_CONFLICT_TYPE);

#define SKILL_SEVERITY(X) X(SEVERITY_LOW, "low") X(SEVERITY_MEDIUM, "medium") X(SEVERITY_HIGH, "high") X(SEVERITY_CRITICAL, "critical")
ENUMX_DECLARE(skill_severity, SKILL_SEVERITY);
int skill_severity_weight(enum skill_severity s); /* 1 2 4 8 */

#define SKILL_CONFLICT_STATUS(X) \
    X(CONFLICT_DETECTED, "detected") X(CONFLICT_ACKNOWLEDGED, "acknowledged") X(CONFLICT_RESOLVED, "resolved") \
    X(CONFLICT_DISMISSED, "dismissed")
ENUMX_DECLARE(skill_conflict_status, SKILL_CONFLICT_STATUS);

#define SKILL_CONFLICT_METHOD(X) X(METHOD_VECTOR, "vector") X(METHOD_LEXICAL, "lexical") X(METHOD_RULE, "rule") X(METHOD_MODEL, "model")
ENUMX_DECLARE(skill_conflict_method, SKILL_CONFLICT_METHOD);

struct skill_conflict {
    struct uuid id, skill_a, skill_b, space_id, other_space_id;
    const char *name_a, *name_b;
    struct bytes pair_key, open_key;
    enum skill_conflict_type conflict_type;
    enum skill_severity severity;
    enum skill_conflict_status status;
    double similarity, priority_score;
    enum skill_conflict_method method;
    struct uuid edge_id;
    const char *detail;
    bool auto_resolvable;
    const char *resolution_strategy;
    const struct json *resolution_details;
    struct instant detected_at, acknowledged_at, resolved_at;
    struct uuid resolved_by;
    int64_t version;
    struct instant updated_at;
};
extern const struct thing SKILL_CONFLICT;

struct skill_conflict_filter {
    int status, conflict_type, severity; /* an enum's value, or -1: any; of status: open ones */
    struct uuid skill_id;                /* nil: any */
    int64_t limit;
};
/* The highest priority first, of now. */
err skill_conflict_list(struct ctx *c, const struct skill_conflict_filter *f, struct page *out);
err skill_conflict_get(struct ctx *c, struct uuid id, struct skill_conflict *out);

struct skill_conflict_decision {
    struct uuid id;
    int64_t if_version;
    const char *strategy, *note, *reason;
};
err skill_conflict_acknowledge(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out);
err skill_conflict_resolve(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out);
err skill_conflict_dismiss(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out);
/* Computes it again and stores it. */
err skill_conflict_calculate(struct ctx *c, const struct skill_conflict_decision *in, struct skill_conflict *out);
/* weight × clamp(days open / 30, 1, 3) × (1 + similarity) */
double skill_conflict_priority(enum skill_severity severity, int64_t open_us, double similarity);

/* ---- the scan */

struct skill_scan {
    int64_t skills, found, raised, known; /* known: open already, or decided a short while ago */
    bool is_full;                         /* CONFLICTS_OPEN is reached: found ones were not kept */
};
/* All active skills of the account, past the gate: for the job. Not inside a transaction. */
err skill_scan_all(struct ctx *c, struct skill_scan *out);
/* One skill against the others, as the caller. */
err skill_scan_one(struct ctx *c, struct uuid skill_id, struct skill_scan *out);

#endif
