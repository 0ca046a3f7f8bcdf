/* Operations on recommendations. */
#include "apply.h"
#include "recommendation.h"
#include "steer_calls.h"

#define TAG .tag = "oversight"
#define RECOMMENDATIONS "/api/v1/ai/recommendations"

static const struct field RECOMMENDATION_FILTER[] = {
    F_ENUM_AS("type", struct recommendation_filter, recommendation_type, FIELD_NULLABLE, recommendation_type, -1, "only this type"),
    F_ENUM(struct recommendation_filter, status, 0, recommendation_wanted, WANTED_PENDING, "only those with this status"),
    F_UUID_AS("target", struct recommendation_filter, target_id, FIELD_NULLABLE, "only those about this skill, agent or space"),
    F_UUID(struct recommendation_filter, agent_id, FIELD_NULLABLE, "only those about this agent"),
    F_PAGE(struct recommendation_filter),
    F_END
};

OP_CALL(RECOMMENDATION_LIST, struct recommendation_filter, struct page, recommendation_list(c, in, out),
        .name = "recommendation.list", .method = "GET", .path = RECOMMENDATIONS, .tool = "list_recommendations", TAG,
        .summary = "Lists what jobs recommend, newest first.", .perm = PERM_OVERSIGHT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(RECOMMENDATION_FILTER, struct recommendation_filter), OP_GIVE(RECOMMENDATION, struct recommendation));

OP_CALL(RECOMMENDATION_GET, struct thing_key, struct recommendation, recommendation_get(c, in->id, out),
        .name = "recommendation.get", .method = "GET", .path = RECOMMENDATIONS "/:id", TAG, .summary = "Returns one recommendation.",
        .perm = PERM_OVERSIGHT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(RECOMMENDATION),
        OP_GIVE(RECOMMENDATION, struct recommendation));

#define RECOMMENDATION_STEP(NAME, service, verb, summary_, help_) \
    OP_CALL(NAME, struct thing_key, struct recommendation, service(c, in, out), .name = "recommendation." verb, .method = "POST", \
            .path = RECOMMENDATIONS "/:id/" verb, TAG, .summary = summary_, .help = help_, .perm = PERM_OVERSIGHT_REVIEW, \
            .flags = OP_ETAG | OP_MATCH | OP_IF_VERSION, OP_KEY(RECOMMENDATION), OP_GIVE(RECOMMENDATION, struct recommendation))

RECOMMENDATION_STEP(RECOMMENDATION_APPROVE, recommendation_approve, "approve",
    "Approves or acknowledges a recommendation; it does nothing yet.",
    NULL);
RECOMMENDATION_STEP(RECOMMENDATION_APPLY, recommendation_apply, "apply", "Does what is recommended, with your permissions.",
    "It merges skills, adds an edge, makes an experimental version, a proposal of a skill or a policy, or archives memories, and can be "
    "undone.");
RECOMMENDATION_STEP(RECOMMENDATION_UNDO, recommendation_undo, "undo", "Takes back what apply did.", NULL);

static const struct field RECOMMENDATION_DISMISS_IN[] = {
    F_UUID(struct recommendation_dismissal, id, FIELD_REQUIRED, "id of the recommendation"),
    F_INT(struct recommendation_dismissal, if_version, FIELD_NULLABLE, 0, 9e15, 0, "only if it still has this version"),
    F_STR(struct recommendation_dismissal, reason, FIELD_NULLABLE, 1, RECOMMENDATION_REASON, "why"),
    F_END
};

OP_CALL(RECOMMENDATION_DISMISS, struct recommendation_dismissal, struct recommendation, recommendation_dismiss(c, in, out),
        .name = "recommendation.dismiss", .method = "POST", .path = RECOMMENDATIONS "/:id/dismiss", TAG,
        .summary = "Dismisses a recommendation; the same one is not made again for 30 days.", .perm = PERM_OVERSIGHT_REVIEW,
        .flags = OP_ETAG | OP_MATCH, OP_IN(RECOMMENDATION_DISMISS_IN, struct recommendation_dismissal),
        OP_GIVE(RECOMMENDATION, struct recommendation));

const struct op *const recommendation_calls_table[] = {&RECOMMENDATION_LIST, &RECOMMENDATION_GET, &RECOMMENDATION_APPROVE,
    &RECOMMENDATION_APPLY, &RECOMMENDATION_UNDO, &RECOMMENDATION_DISMISS, NULL};
