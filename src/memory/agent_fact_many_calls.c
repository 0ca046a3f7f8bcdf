/* Operations on many facts of an agent at once. */
#include "agent_fact_calls.h"
#include "memory_calls.h"

#define SYNC_BYTES (1 << 20)

/* ---- clear */

struct clear_in {
    struct uuid agent_id;
    const char *category, *tag;
};

static const struct field CLEAR_IN[] = {
    F_AGENT(struct clear_in),
    F_STR(struct clear_in, category, 0, 0, CATEGORY, "only facts of this category"),
    F_STR(struct clear_in, tag, 0, 0, TAG_CHARS, "only facts with this tag"),
    F_END
};

struct cleared_out {
    int64_t archived;
    bool remaining;
};

static const struct field CLEARED_OUT[] = {
    F_INT(struct cleared_out, archived, 0, 0, FACTS_CLEARED, 0, "number of facts archived"),
    F_BOOL(struct cleared_out, remaining, 0, false, "more remain: call again"),
    F_END
};

static err agent_fact_many_call_clear(struct ctx *c, const void *in, void *out)
{
    const struct clear_in *i = in;
    struct entry_filter f = {.entry_type = -1, .memory_type = -1, .tag = i->tag, .category = i->category};
    struct cleared_out *o = out;

    return agent_fact_clear(c, i->agent_id, &f, &o->archived, &o->remaining);
}

static const struct op CLEAR = {
    .name = "agent_fact.clear", .method = "POST", .path = PATH "/clear", TAG,
    .summary = "Archives the facts of an agent, 200 per call.", .help = "Each call is all or nothing. Unarchive a node to restore it.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_IDEMPOTENT,
    OP_IN(CLEAR_IN, struct clear_in), OP_OUT(CLEARED_OUT, struct cleared_out), .run = agent_fact_many_call_clear,
};

/* ---- sync */

static const struct field ITEM_IN[] = {
    PUT_FIELDS,
    F_END
};

struct sync_in {
    struct uuid agent_id;
    const struct json *facts;
    const char *source_context_id;
    double min_importance;
    bool overwrite;
};

static const struct field SYNC_IN[] = {
    F_AGENT(struct sync_in),
    F_JSON(struct sync_in, facts, FIELD_VALUES, SYNC_BYTES, "list of up to 500 facts, each as POST takes one; at most 1048576 bytes"),
    F_STR(struct sync_in, source_context_id, FIELD_NULLABLE, 1, CONTEXT_HANDLE, "instead of facts: copy the entries of this context, at most "
                                                                                "the 500 most important ones"),
    F_NUM(struct sync_in, min_importance, 0, 0, 1, 0, "with source_context_id: minimum importance of the entries"),
    F_BOOL(struct sync_in, overwrite, 0, false, "true: new versions for existing keys; false: existing keys are kept"),
    F_END
};

struct sync_error {
    int64_t index;
    const char *code, *message;
};

struct sync_out {
    struct agent_fact_synced n;
    struct list errors;
};

static const struct field ERROR_OUT[] = {
    F_INT(struct sync_error, index, 0, 0, FACTS_AT_ONCE, 0, "index in the list, from 0"),
    F_STR(struct sync_error, code, 0, 0, 32, "error code"),
    F_STR(struct sync_error, message, 0, 0, LIMIT_DESCRIPTION, "error message"),
    F_END
};

#define F_COUNT(m, help_) {.type = FT_INT, .name = #m, .off = offsetof(struct sync_out, n.m), .max = CONTEXT_COUNT_MAX, .help = (help_)}
static const struct field SYNC_OUT[] = {
    F_COUNT(created, "keys created"),
    F_COUNT(updated, "keys with a new version"),
    F_COUNT(unchanged, "keys whose value was already the same"),
    F_COUNT(kept, "existing keys left unchanged"),
    F_LIST(struct sync_out, errors, 0, FACTS_AT_ONCE, ERROR_OUT, struct sync_error, "facts not written, with reason"),
    F_END
};

static err sync_item(struct ctx *c, const struct sync_in *i, const char *context, const struct json *item, struct agent_fact_synced *n)
{
    struct put_in *said = ARENA_NEW(c->arena, struct put_in);
    struct agent_fact_new f;

    if (item->type != JSON_OBJ)
        return fail(c, ERR_INVALID, "a fact must be an object");
    TRY(field_decode(c, ITEM_IN, item, said, false));
    f = agent_fact_new_from(said);
    return agent_fact_sync_one(c, context, &f, i->overwrite, n);
}

static err sync_list(struct ctx *c, const struct sync_in *i, const char *context, struct sync_out *o)
{
    struct sync_error *errors = ARENA_ARRAY(c->arena, struct sync_error, FACTS_AT_ONCE);
    int64_t index = 0;

    if (i->facts->type != JSON_ARR || i->facts->len > FACTS_AT_ONCE)
        return fail_field(c, "/facts", "facts must be a list of at most %d", FACTS_AT_ONCE);
    o->errors.v = errors;
    for (const struct json *item = i->facts->first; item; item = item->next, index++) {
        err e = sync_item(c, i, context, item, &o->n);

        if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE)
            return e;
        if (e == ERR_OK)
            continue;
        errors[o->errors.n++] = (struct sync_error){
            .index = index, .code = err_info(e)->slug,
            .message = c->fault.message && e != ERR_INTERNAL ? c->fault.message : err_info(e)->meaning};
        ctx_forgive(c);
    }
    return ERR_OK;
}

static err agent_fact_many_call_sync(struct ctx *c, const void *in, void *out)
{
    const struct sync_in *i = in;
    struct sync_out *o = out;
    const char *context;

    TRY(agent_fact_sync_begin(c, i->agent_id, &context));
    if (!i->facts == !i->source_context_id)
        return fail_field(c, "/facts", "give either facts or source_context_id");
    *o = (struct sync_out){0};
    return i->facts ? sync_list(c, i, context, o)
                    : agent_fact_sync_from(c, context, i->source_context_id, i->min_importance, i->overwrite, &o->n);
}

static const struct op SYNC = {
    .name = "agent_fact.sync", .method = "POST", .path = PATH "/sync", TAG,
    .summary = "Writes up to 500 facts, from a list or from a context.",
    .help = "Each is independent: invalid ones are listed in errors and the others are written.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_PORTIONS,
    OP_IN(SYNC_IN, struct sync_in), OP_OUT(SYNC_OUT, struct sync_out), .run = agent_fact_many_call_sync,
};

const struct op *const agent_fact_many_calls_table[] = {&CLEAR, &SYNC, NULL};
