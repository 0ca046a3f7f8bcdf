/* The operations on experiences. */
#include "entry_calls.h"
#include "experience.h"
#include "memory_calls.h"

#define TAG .tag = "experiences"
#define PATH "/api/v1/ai/agents/:agent_id/experiences"
#define F_AGENT(s) F_UUID(s, agent_id, 0, "agent whose memory is used; default in a tool: the caller's own")

/* What is asked for: any, unless it is said. */
#define F_OUTCOME(s) \
    F_ENUM_AS("outcome_filter", s, outcome, 0, outcome, OUTCOME_UNKNOWN, "only experiences with this outcome: success or failure")

/* ---- store */

struct store_in {
    struct given given;
    struct uuid agent_id;
    const struct json *content, *context;
    bool outcome_success, force;
    double importance;
    struct strs tags;
    enum entry_source source_type;
    const char *source_id;
};

static const struct field STORE_IN[] = {
    F_AGENT(struct store_in),
    F_JSON(struct store_in, content, FIELD_REQUIRED, ENTRY_CONTENT, "content: any JSON but null, at most 262144 bytes"),
    F_OBJECT(struct store_in, context, 0, ENTRY_METADATA, "context of the task: task_id, workflow_run_id or mission_id, duration_ms and "
                                                          "from_agent_id each raise the confidence"),
    F_BOOL(struct store_in, outcome_success, FIELD_UNSAID, false, "outcome: true if it succeeded; default: unknown"),
    F_NUM(struct store_in, importance, FIELD_UNSAID, 0, 1, 0.5, "importance, 0 to 1; default: 0.5, for failures 0.7"),
    F_STRS(struct store_in, tags, 0, TAGS_MAX, "tags; case-insensitive"),
    F_ENUM(struct store_in, source_type, 0, entry_source, ENTRY_BY_CALLER, "kind of source, if not the caller"),
    F_STR(struct store_in, source_id, FIELD_NULLABLE, 0, 255, "id in the source"),
    F_BOOL(struct store_in, force, 0, false, "store even text that recall just returned to you; requires memory.manage"),
    F_END
};

struct made_out {
    bool stored;
    const char *reason;
    struct uuid of;
    double echo_ratio;
    const struct entry *experience;
};

static const struct field MADE_OUT[] = {
    F_BOOL(struct made_out, stored, 0, false, "false: recall just returned it to you"),
    F_STR(struct made_out, reason, FIELD_NULLABLE, 0, 16, "reason why it was not stored: echo"),
    F_UUID(struct made_out, of, FIELD_NULLABLE, "id of the existing node"),
    F_NUM(struct made_out, echo_ratio, 0, 0, 1, 0, "share of the text that recall just returned to you; from 0.5 on importance is halved"),
    F_OBJ(struct made_out, experience, FIELD_NULLABLE, ENTRY_OUT, struct entry, "the experience; null if it was not stored"),
    F_END
};

static err experience_call_store(struct ctx *c, const void *in, void *out)
{
    const struct store_in *i = in;
    struct experience_made *made = ARENA_NEW(c->arena, struct experience_made);
    enum outcome outcome = !given(i, outcome_success) ? OUTCOME_UNKNOWN : i->outcome_success ? OUTCOME_SUCCESS : OUTCOME_FAILURE;

    TRY(experience_store(c, &(struct experience_new){
        .agent_id = i->agent_id, .content = i->content, .task_context = i->context, .outcome = outcome,
        .importance = given(i, importance) ? i->importance : -1, .tags = i->tags, .source_type = i->source_type,
        .source_id = i->source_id, .force = i->force}, made));
    *(struct made_out *)out = (struct made_out){made->stored, made->reason, made->of, made->echo_ratio,
                                                made->stored ? &made->experience : NULL};
    return ERR_OK;
}

static const struct op EXPERIENCE_STORE = {
    .name = "experience.store", .method = "POST", .path = PATH, .tool = "record_experience", TAG,
    .summary = "Stores an experience: what an agent did and how it ended.",
    .help = "It is stored in the agent's context Experiential Memory, created at first use, with a decay rate of 0.01 per day.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_GIVEN,
    OP_IN(STORE_IN, struct store_in), OP_OUT(MADE_OUT, struct made_out), .run = experience_call_store,
};

/* ---- find */

struct list_in {
    struct uuid agent_id;
    enum outcome outcome;
    const char *tag, *cursor;
    double min_importance;
    bool include_archived;
    enum entry_order order;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_AGENT(struct list_in),
    F_OUTCOME(struct list_in),
    F_STR(struct list_in, tag, 0, 0, TAG_CHARS, "only those with this tag"),
    F_NUM(struct list_in, min_importance, 0, 0, 1, 0, "minimum current importance (after decay)"),
    F_BOOL(struct list_in, include_archived, 0, false, "include archived ones"),
    F_ENUM(struct list_in, order, 0, entry_order, ENTRY_BY_RECENCY, "sort order: newest first, or highest first"),
    F_PAGE(struct list_in),
    F_END
};

static err experience_call_list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;

    return experience_list(c, i->agent_id, &(struct entry_filter){
        .entry_type = -1, .memory_type = -1, .tag = i->tag, .outcome = i->outcome, .min_importance = i->min_importance,
        .include_archived = i->include_archived, .order = i->order, .limit = i->limit, .cursor = i->cursor}, out);
}

static const struct op EXPERIENCE_LIST = {
    .name = "experience.list", .method = "GET", .path = PATH, TAG,
    .summary = "Lists the experiences of an agent.", .help = "Listing does not count as use.",
    .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(ENTRY_OUT, struct entry), .run = experience_call_list,
};

static const struct field SEARCH_IN[] = {
    F_AGENT(struct experience_query),
    F_STR(struct experience_query, query, FIELD_REQUIRED, 1, ENTRY_QUERY, "query text"),
    F_STRS(struct experience_query, tags, 0, RECALLED_TAGS, "only those with all of these tags"),
    F_OUTCOME(struct experience_query),
    F_NUM(struct experience_query, min_importance, 0, 0, 1, 0, "minimum current importance (after decay)"),
    F_NUM(struct experience_query, min_score, 0, 0, 1, 0, "minimum calibrated similarity of vector hits"),
    F_INT(struct experience_query, limit, 0, 1, LIMIT_PAGE, 10, "maximum number of hits"),
    F_END
};

OP_CALL(EXPERIENCE_SEARCH, struct experience_query, struct entry_hits, experience_search(c, in, out),
        .name = "experience.search", .method = "POST", .path = PATH "/search", .tool = "recall_experiences", TAG,
        .summary = "Searches the experiences of an agent by meaning and words.", .help = "Hits count as used.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_RECALLS,
        OP_IN(SEARCH_IN, struct experience_query), OP_OUT(ENTRY_HITS_OUT, struct entry_hits));

/* ---- reinforce */

struct reinforce_in {
    struct uuid agent_id;
    const char *id;
    double amount;
};

static const struct field REINFORCE_IN[] = {
    F_AGENT(struct reinforce_in),
    F_STR(struct reinforce_in, id, FIELD_REQUIRED, 1, ENTRY_KEY, "the experience"),
    F_NUM(struct reinforce_in, amount, 0, 0.01, 0.5, 0.1, "amount"),
    F_END
};

OP_CALL(EXPERIENCE_REINFORCE, struct reinforce_in, struct entry, experience_reinforce(c, in->agent_id, in->id, in->amount, out),
        .name = "experience.reinforce", .method = "POST", .path = PATH "/:id/reinforce", TAG,
        .summary = "Raises the importance of an experience.", .perm = PERM_MEMORY_WRITE, .flags = OP_ETAG,
        OP_IN(REINFORCE_IN, struct reinforce_in), OP_OUT(ENTRY_OUT, struct entry));

const struct op *const experience_calls_table[] = {&EXPERIENCE_STORE, &EXPERIENCE_LIST, &EXPERIENCE_SEARCH, &EXPERIENCE_REINFORCE, NULL};
