/* Operations on conflicts between skills. */
#include "job_service.h"
#include "skill_conflict.h"
#include "skillgraph_calls.h"

#define TAG .tag = "skills"
#define GRAPH "/api/v1/ai/skill_graph"
#define CONFLICTS GRAPH "/conflicts"

static const struct field CONFLICT_FILTER[] = {
    F_ENUM(struct skill_conflict_filter, status, FIELD_NULLABLE, skill_conflict_status, -1, "only these; default: open ones"),
    F_ENUM_AS("type", struct skill_conflict_filter, conflict_type, FIELD_NULLABLE, skill_conflict_type, -1, "only this type"),
    F_ENUM(struct skill_conflict_filter, severity, FIELD_NULLABLE, skill_severity, -1, "only this severity"),
    F_UUID(struct skill_conflict_filter, skill_id, FIELD_NULLABLE, "only conflicts of this skill"),
    F_INT(struct skill_conflict_filter, limit, 0, 1, LIMIT_PAGE, LIMIT_PAGE_DEFAULT, "maximum number of rows"),
    F_END
};

OP_CALL(CONFLICT_LIST, struct skill_conflict_filter, struct page, skill_conflict_list(c, in, out),
        .name = "skill_conflict.list", .method = "GET", .path = CONFLICTS, .tool = "list_skill_conflicts", TAG,
        .summary = "Lists the conflicts between skills that you can read, the most urgent first; there is one page.",
        .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(CONFLICT_FILTER, struct skill_conflict_filter),
        OP_GIVE(SKILL_CONFLICT, struct skill_conflict));

OP_CALL(CONFLICT_GET, struct thing_key, struct skill_conflict, skill_conflict_get(c, in->id, out),
        .name = "skill_conflict.get", .method = "GET", .path = CONFLICTS "/:id", TAG, .summary = "Returns one conflict.",
        .perm = PERM_SKILLS_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(SKILL_CONFLICT),
        OP_GIVE(SKILL_CONFLICT, struct skill_conflict));

static const struct field DECIDE_ID[] = {
    F_UUID(struct skill_conflict_decision, id, FIELD_REQUIRED, "id of the conflict"),
    F_INT(struct skill_conflict_decision, if_version, FIELD_NULLABLE, 0, 9e15, 0, "only if it still has this version"),
    F_END
};
static const struct field RESOLVE_IN[] = {
    F_UUID(struct skill_conflict_decision, id, FIELD_REQUIRED, "id of the conflict"),
    F_INT(struct skill_conflict_decision, if_version, FIELD_NULLABLE, 0, 9e15, 0, "only if it still has this version"),
    F_STR(struct skill_conflict_decision, strategy, FIELD_SLUG, 1, 32, "how it was resolved, in a word", .preset = "manual"),
    F_STR(struct skill_conflict_decision, note, FIELD_NULLABLE, 1, 500, "what was done"),
    F_END
};
static const struct field DISMISS_IN[] = {
    F_UUID(struct skill_conflict_decision, id, FIELD_REQUIRED, "id of the conflict"),
    F_INT(struct skill_conflict_decision, if_version, FIELD_NULLABLE, 0, 9e15, 0, "only if it still has this version"),
    F_STR(struct skill_conflict_decision, reason, FIELD_REQUIRED, 1, 500, "why it is none"),
    F_END
};

#define CONFLICT_STEP(NAME, service, verb, in_table, perm_, flags_, summary_) \
    OP_CALL(NAME, struct skill_conflict_decision, struct skill_conflict, service(c, in, out), .name = "skill_conflict." verb, \
            .method = "POST", .path = CONFLICTS "/:id/" verb, TAG, .summary = summary_, .perm = perm_, \
            .flags = OP_ETAG | OP_MATCH | (flags_), OP_IN(in_table, struct skill_conflict_decision), \
            OP_GIVE(SKILL_CONFLICT, struct skill_conflict))

CONFLICT_STEP(CONFLICT_ACKNOWLEDGE, skill_conflict_acknowledge, "acknowledge", DECIDE_ID, PERM_SKILLS_REVIEW, OP_IDEMPOTENT,
    "Takes note of a conflict.");
CONFLICT_STEP(CONFLICT_RESOLVE, skill_conflict_resolve, "resolve", RESOLVE_IN, PERM_SKILLS_REVIEW, 0,
    "Marks a conflict as resolved by what you did.");
CONFLICT_STEP(CONFLICT_DISMISS, skill_conflict_dismiss, "dismiss", DISMISS_IN, PERM_SKILLS_REVIEW, 0,
    "Says that it is no conflict; it is raised again after 30 days, or when one of the skills changes.");
CONFLICT_STEP(CONFLICT_CALCULATE, skill_conflict_calculate, "calculate_priority", DECIDE_ID, PERM_SKILLS_MANAGE, OP_IDEMPOTENT,
    "Computes the priority of a conflict again.");

/* ---- scans */

struct scan_started {
    struct uuid id;
};
static const struct field SCAN_STARTED[] = {
    F_UUID(struct scan_started, id, 0, "id of the run"),
    F_END
};

err skill_job_start(struct ctx *c, const char *job, struct uuid *id)
{
    struct instant now;

    TRY(jobs_now(c, &now));
    return job_run_request(c, &(struct run_request){.job = job}, now, id);
}

OP_CALL(SKILL_SCAN_ALL, struct thing_page, struct scan_started, skill_job_start(c, "skill_conflict_scan", &out->id),
        .name = "skill_conflict.scan", .method = "POST", .path = GRAPH "/scan", TAG,
        .summary = "Starts a scan of all skills for conflicts; returns the run.", .perm = PERM_SKILLS_MANAGE, .flags = OP_ACCEPTED,
        OP_OUT(SCAN_STARTED, struct scan_started));

struct check_in {
    struct uuid skill_id;
};
static const struct field CHECK_IN[] = {
    F_UUID(struct check_in, skill_id, FIELD_REQUIRED, "id of the skill"),
    F_END
};
static const struct field CHECK_OUT[] = {
    F_INT(struct skill_scan, skills, 0, 0, 0, 0, "active skills that it was compared with"),
    F_INT(struct skill_scan, found, 0, 0, 0, 0, "conflicts of this skill"),
    F_INT(struct skill_scan, raised, 0, 0, 0, 0, "new ones"),
    F_INT(struct skill_scan, known, 0, 0, 0, 0, "open already, or decided within 30 days"),
    F_BOOL(struct skill_scan, is_full, 0, false, "there are too many open conflicts; the rest was not kept"),
    F_END
};

OP_CALL(SKILL_CHECK, struct check_in, struct skill_scan, skill_scan_one(c, in->skill_id, out),
        .name = "skill_conflict.check", .method = "POST", .path = GRAPH "/conflict_check", TAG,
        .summary = "Looks for conflicts of one skill with the others.", .perm = PERM_SKILLS_MANAGE, .flags = OP_IDEMPOTENT,
        OP_IN(CHECK_IN, struct check_in), OP_OUT(CHECK_OUT, struct skill_scan));

const struct op *const skill_conflict_calls_table[] = {&CONFLICT_LIST, &CONFLICT_GET, &CONFLICT_ACKNOWLEDGE, &CONFLICT_RESOLVE,
    &CONFLICT_DISMISS, &CONFLICT_CALCULATE, &SKILL_SCAN_ALL, &SKILL_CHECK, NULL};
