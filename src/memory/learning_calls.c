/* The operations of compound learnings: making, finding, extracting, promoting. */
#include "learning_calls.h"
#include "memory_calls.h"

/* ---- answers */

const struct field LEARNING_OUT[] = {
    LEARNING_FIELDS,
    F_END
};

static const struct field ROW_OUT[] = {
    LEARNING_FIELDS,
    F_NUM(struct learning, score, 0, 0, COUNT_MAX, 0, "score for the query; 0 without a query"),
    F_END
};

/* ---- create */

static const struct field CREATE_IN[] = {
    F_STR(struct learning_new, content, FIELD_REQUIRED, 1, LEARNING_CHARS, "content of the learning"),
    F_STR(struct learning_new, title, FIELD_NULLABLE, 1, LIMIT_TITLE, "title; default: the first words"),
    F_ENUM(struct learning_new, category, 0, learning_category, LEARNING_DISCOVERY, "type"),
    F_ENUM(struct learning_new, scope, 0, learning_scope, LEARNING_OF_TEAM, "scope: a team, or everyone"),
    F_UUID(struct learning_new, team_id, FIELD_NULLABLE, "team; default: the only one the caller can write for"),
    F_NUM(struct learning_new, importance_score, 0, 0, 1, 0.5, "importance, 0 to 1"),
    F_NUM(struct learning_new, confidence_score, 0, 0, 1, 0.5, "confidence, 0 to 1"),
    F_STRS(struct learning_new, tags, 0, TAGS, "tags of 1 to 64 characters"),
    F_BOOL(struct learning_new, force, 0, false, "store even text that recall just returned to you; requires memory.manage"),
    F_END
};

struct made_out {
    bool stored;
    const char *reason;
    struct uuid of;
    const struct learning *learning;
};

static const struct field MADE_OUT[] = {
    F_BOOL(struct made_out, stored, 0, false, "false: it existed already and was reinforced"),
    F_STR(struct made_out, reason, FIELD_NULLABLE, 0, 16, "reason why it was not stored: duplicate, or echo (recall just returned it to you)"),
    F_UUID(struct made_out, of, FIELD_NULLABLE, "id of the existing node"),
    F_OBJ(struct made_out, learning, FIELD_NULLABLE, LEARNING_OUT, struct learning, "the learning, new or existing; null for an echo"),
    F_END
};

static err learning_call_create(struct ctx *c, const void *in, void *out)
{
    struct learning_made *made = ARENA_NEW(c->arena, struct learning_made);

    TRY(learning_create(c, in, made));
    *(struct made_out *)out = (struct made_out){made->stored, made->reason, made->of,
                                                uuid_is_nil(made->learning.id) ? NULL : &made->learning};
    return ERR_OK;
}

static const struct op LEARNING_CREATE = {
    .name = "learning.create", .method = "POST", .path = L "/learnings", .tool = "create_learning", TAG,
    .summary = "Stores a learning.",
    .help = "A duplicate is not stored: the existing learning gains importance and confidence instead.",
    .perm = PERM_MEMORY_WRITE, OP_IN(CREATE_IN, struct learning_new), OP_OUT(MADE_OUT, struct made_out), .run = learning_call_create,
};

/* ---- read */

static const struct field FIND_IN[] = {
    F_STR(struct learning_filter, query, 0, 0, 4096, "query text; default: everything, newest first"),
    F_ENUM(struct learning_filter, category, FIELD_UNSAID, learning_category, -1, "only this category"),
    F_ENUM(struct learning_filter, scope, FIELD_UNSAID, learning_scope, -1, "only this scope: team, or everyone"),
    F_ENUM(struct learning_filter, status, FIELD_UNSAID, learning_status, -1, "only this status; default: active and verified"),
    F_UUID(struct learning_filter, team_id, FIELD_NULLABLE, "only of this team"),
    F_NUM(struct learning_filter, min_importance, 0, 0, 1, 0, "minimum current importance"),
    F_STR(struct learning_filter, tag, FIELD_NULLABLE, 1, 64, "only with this tag"),
    F_PAGE(struct learning_filter),
    F_END
};

OP_CALL(LEARNING_QUERY, struct learning_filter, struct page, learning_find(c, in, out),
        .name = "learning.query", .method = "GET", .path = L "/learnings", .tool = "query_learnings", TAG,
        .summary = "Searches or lists learnings.", .help = "With a query, hits count as access.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(FIND_IN, struct learning_filter), OP_OUT(ROW_OUT, struct learning));

static const struct field COUNT_OUT[] = {
    F_STR(struct learning_count, name, 0, 0, 24, "status, category or method"),
    F_INT(struct learning_count, n, 0, 0, COUNT_MAX, 0, "learnings"),
    F_END
};

static const struct field METRICS_OUT[] = {
    F_INT(struct learning_metrics, total, 0, 0, COUNT_MAX, 0, "learnings the caller can read, of any status"),
    F_LIST(struct learning_metrics, by_status, 0, 16, COUNT_OUT, struct learning_count, "by status"),
    F_LIST(struct learning_metrics, by_category, 0, 16, COUNT_OUT, struct learning_count, "by category"),
    F_LIST(struct learning_metrics, by_method, 0, 16, COUNT_OUT, struct learning_count, "by origin"),
    F_NUM(struct learning_metrics, average_importance, 0, 0, 1, 0, "average importance of active learnings"),
    F_NUM(struct learning_metrics, average_confidence, 0, 0, 1, 0, "average confidence of active learnings"),
    F_NUM(struct learning_metrics, average_effectiveness, FIELD_NULLABLE, 0, 1, 0, "success rate of those with 3 outcomes or more; null: none"),
    F_NUM(struct learning_metrics, compound_score, 0, 0, 100, 0, "score parts: breadth, effectiveness, volume"),
    F_END
};

OP_CALL(LEARNING_METRICS, void, struct learning_metrics, learning_metrics(c, out),
        .name = "learning.metrics", .method = "GET", .path = L "/compound_metrics", .tool = "learning_metrics", TAG,
        .summary = "Returns counts, averages and a score of learnings.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT, OP_OUT(METRICS_OUT, struct learning_metrics));

struct conflicts_out {
    struct list conflicts;
};

static const struct field CONFLICT_OUT[] = {
    F_UUID(struct learning_conflict, success_id, 0, "a pattern or best practice"),
    F_UUID(struct learning_conflict, failure_id, 0, "an anti-pattern or failure"),
    F_STR(struct learning_conflict, success, 0, 0, LIMIT_TITLE, "title of the first"),
    F_STR(struct learning_conflict, failure, 0, 0, LIMIT_TITLE, "title of the second"),
    F_NUM(struct learning_conflict, similarity, 0, 0, 1, 0, "similarity"),
    F_END
};

static const struct field CONFLICTS_OUT[] = {
    F_LIST(struct conflicts_out, conflicts, 0, 500, CONFLICT_OUT, struct learning_conflict, "pairs, the newest failure first"),
    F_END
};

OP_CALL(LEARNING_CONFLICTS, void, struct conflicts_out, learning_conflicts(c, &out->conflicts),
        .name = "learning.conflicts", .method = "GET", .path = L "/conflicts", TAG,
        .summary = "Lists successes and failures that are similar: one of them may be wrong.",
        .help = "Checks the newest 50 failures.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT, OP_OUT(CONFLICTS_OUT, struct conflicts_out));

/* ---- copying, extracting */

struct promote_in {
    struct uuid learning_id;
};

static const struct field PROMOTE_IN[] = {
    F_UUID(struct promote_in, learning_id, FIELD_REQUIRED, "id of a team's learning"),
    F_END
};

OP_CALL(LEARNING_PROMOTE, struct promote_in, struct learning, learning_promote(c, in->learning_id, out),
        .name = "learning.promote", .method = "POST", .path = L "/promote", TAG,
        .summary = "Copies a team's learning to the whole account.",
        .help = "Requires an effective importance of 0.7, two uses, and no duplicate in the account. Returns the copy.",
        .perm = PERM_MEMORY_MANAGE, OP_IN(PROMOTE_IN, struct promote_in), OP_OUT(LEARNING_OUT, struct learning));

static const struct field EXTRACT_IN[] = {
    F_STR(struct learning_source, text, FIELD_REQUIRED | FIELD_RAW, 1, LIMIT_NODE_BODY, "output of the work"),
    F_UUID(struct learning_source, team_id, FIELD_NULLABLE, "team; default: the only one the caller can write for"),
    F_STR(struct learning_source, execution_id, FIELD_NULLABLE, 1, LEARNING_EXECUTION, "task or run it comes from"),
    F_BOOL(struct learning_source, successful, 0, true, "false: the text describes a failure, which is stored as well"),
    F_END
};

static const struct field EXTRACT_OUT[] = {
    F_UUIDS(struct learning_extracted, stored, 0, 101, "new learnings"),
    F_UUIDS(struct learning_extracted, duplicates, 0, 101, "existing learnings that were reinforced"),
    F_UUIDS(struct learning_extracted, echoes, 0, 101, "existing nodes that recall just returned to the caller"),
    F_END
};

OP_CALL(LEARNING_EXTRACT, struct learning_source, struct learning_extracted, learning_extract(c, in, out),
        .name = "learning.extract", .method = "POST", .path = L "/extract", .tool = "extract_learnings", TAG,
        .summary = "Extracts learnings from the output of finished work.",
        .help = "Lines that begin with Discovery:, Pattern:, Anti-pattern:, Best practice: or Fact: become learnings, up to 100 of a text.",
        .perm = PERM_MEMORY_WRITE, OP_IN(EXTRACT_IN, struct learning_source), OP_OUT(EXTRACT_OUT, struct learning_extracted));

const struct op *const learning_calls_table[] = {&LEARNING_CREATE, &LEARNING_QUERY, &LEARNING_METRICS, &LEARNING_CONFLICTS, &LEARNING_PROMOTE,
                                                 &LEARNING_EXTRACT, NULL};
