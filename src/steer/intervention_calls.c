/* Operations on intervention policies. */
#include "intervention.h"
#include "steer_calls.h"

#define TAG .tag = "oversight"
#define POLICIES "/api/v1/ai/intervention_policies"

static const struct field INTERVENTION_FILTER[] = {
    F_ENUM(struct intervention_filter, action_category, FIELD_NULLABLE, intervention_category, -1, "only policies about this action"),
    F_UUID(struct intervention_filter, agent_id, FIELD_NULLABLE, "only policies for this agent"),
    F_UUID(struct intervention_filter, user_id, FIELD_NULLABLE, "only policies for this person"),
    F_BOOL(struct intervention_filter, active, 0, false, "only those that count"),
    F_PAGE(struct intervention_filter),
    F_END
};

OP_CALL(INTERVENTION_LIST, struct intervention_filter, struct page, intervention_list(c, in, out),
        .name = "intervention_policy.list", .method = "GET", .path = POLICIES, .tool = "list_intervention_policies", TAG,
        .summary = "Lists the policies that say when people are asked or told.", .perm = PERM_OVERSIGHT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(INTERVENTION_FILTER, struct intervention_filter),
        OP_GIVE(INTERVENTION, struct intervention));

OP_CALL(INTERVENTION_GET, struct thing_key, struct intervention, intervention_get(c, in->id, out),
        .name = "intervention_policy.get", .method = "GET", .path = POLICIES "/:id", TAG, .summary = "Returns one intervention policy.",
        .perm = PERM_OVERSIGHT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(INTERVENTION),
        OP_GIVE(INTERVENTION, struct intervention));

OP_CALL(INTERVENTION_CREATE, struct intervention, struct intervention, intervention_create(c, in, out),
        .name = "intervention_policy.create", .method = "POST", .path = POLICIES, .tool = "create_intervention_policy", TAG,
        .summary = "Makes a policy: who is asked or told when agents act.",
        .help = "Of several that match, one for the person goes first, then one for the agent, then one for that very action, then the "
                "higher priority, then the stricter, then the older.",
        .perm = PERM_OVERSIGHT_MANAGE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(INTERVENTION, struct intervention),
        OP_GIVE(INTERVENTION, struct intervention));

OP_CALL(INTERVENTION_UPDATE, struct intervention_change, struct intervention, intervention_update(c, in, out),
        .name = "intervention_policy.update", .method = "PATCH", .path = POLICIES "/:id", .tool = "update_intervention_policy", TAG,
        .summary = "Changes an intervention policy.", .perm = PERM_OVERSIGHT_MANAGE, .flags = OP_ETAG | OP_MATCH | OP_IF_VERSION,
        OP_CHANGE(INTERVENTION, struct intervention_change), OP_GIVE(INTERVENTION, struct intervention));

OP_CALL(INTERVENTION_DELETE, struct thing_key, void, intervention_delete(c, in),
        .name = "intervention_policy.delete", .method = "DELETE", .path = POLICIES "/:id", .tool = "delete_intervention_policy", TAG,
        .summary = "Removes an intervention policy.", .perm = PERM_OVERSIGHT_MANAGE,
        .flags = OP_DESTRUCTIVE | OP_NO_BODY | OP_MATCH | OP_IF_VERSION, OP_KEY(INTERVENTION));

/* ---- what holds */

static const struct field RESOLVE_IN[] = {
    F_ENUM(struct intervention_question, action_category, FIELD_REQUIRED, intervention_category, ACTION_PROPOSAL,
        "what the agent would do"),
    F_UUID(struct intervention_question, agent_id, FIELD_NULLABLE, "the agent"),
    F_UUID(struct intervention_question, user_id, FIELD_NULLABLE, "the person who would be asked or told"),
    F_ENUM(struct intervention_question, severity, 0, urgency, URGENCY_MEDIUM, "how severe it is"),
    F_END
};
static const struct field CONSIDERED[] = {
    F_UUID(struct intervention_considered, policy_id, 0, "the policy"),
    F_ENUM(struct intervention_considered, scope, 0, intervention_scope, SCOPE_GLOBAL, "how wide it is"),
    F_ENUM(struct intervention_considered, action_category, 0, intervention_category, ACTION_ALL, "what it is about"),
    F_ENUM(struct intervention_considered, policy, 0, intervention_rule, RULE_BLOCK, "what it says"),
    F_INT(struct intervention_considered, priority, 0, -100, 100, 0, "its priority"),
    F_BOOL(struct intervention_considered, won, 0, false, "it holds"),
    F_STR(struct intervention_considered, why, 0, 0, 100, "why it holds, or does not"),
    F_END
};
static const struct field RESOLVE_OUT[] = {
    F_ENUM(struct intervention_answer, policy, 0, intervention_rule, RULE_REQUIRE_APPROVAL, "what holds"),
    F_STRS(struct intervention_answer, channels, 0, INTERVENTION_CHANNELS, "how people are told"),
    F_UUID(struct intervention_answer, policy_id, FIELD_NULLABLE, "the policy that holds; null: none matches"),
    F_STR(struct intervention_answer, reason, 0, 0, 100, "why"),
    F_TIME(struct intervention_answer, deliver_at, FIELD_NULLABLE, "quiet hours: when notifications are delivered; null: at once"),
    F_LIST(struct intervention_answer, considered, 0, INTERVENTION_POLICIES, CONSIDERED, struct intervention_considered,
        "every policy about this action", .schema = "ConsideredPolicy"),
    F_END
};

OP_CALL(INTERVENTION_RESOLVE, struct intervention_question, struct intervention_answer, intervention_ask(c, in, out),
        .name = "intervention_policy.resolve", .method = "POST", .path = POLICIES "/resolve", TAG,
        .summary = "Says what would happen: which policy holds for an action now, and why the others do not.", .perm = PERM_OVERSIGHT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT, OP_IN(RESOLVE_IN, struct intervention_question),
        OP_OUT(RESOLVE_OUT, struct intervention_answer));

const struct op *const intervention_calls_table[] = {&INTERVENTION_LIST, &INTERVENTION_GET, &INTERVENTION_CREATE, &INTERVENTION_UPDATE,
    &INTERVENTION_DELETE, &INTERVENTION_RESOLVE, NULL};
