/* The operations of working memory. */
#include "working_calls.h"
#include "memory_calls.h"

#define COUNT_MAX 9e15

const struct field WORKING_STORED_OUT[] = {
    F_STR(struct working_stored, key, 0, 0, WORKING_KEY, "key"),
    F_BOOL(struct working_stored, stored, 0, true, "false: it existed already and if_absent was set"),
    F_INT(struct working_stored, ttl_s, 0, 0, WORKING_TTL_MAX, 0, "remaining seconds to live"),
    F_TIME(struct working_stored, expires_at, 0, "expiry time"),
    F_INT(struct working_stored, size_bytes, 0, 0, COUNT_MAX, 0, "bytes of its JSON"),
    F_END
};

/* ---- keys */

struct keys_in {
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id, *prefix;
    bool values;
};

static const struct field KEYS_IN[] = {
    F_SCOPE(struct keys_in),
    F_STR(struct keys_in, prefix, FIELD_RAW, 0, WORKING_KEY, "only keys with this prefix, such as intermediate:"),
    F_BOOL(struct keys_in, values, 0, false, "include the values"),
    F_END
};

struct keys_out {
    struct strs keys;
    const struct json *values;
};

static const struct field KEYS_OUT[] = {
    F_STRS(struct keys_out, keys, 0, WORKING_KEYS, "live keys, sorted"),
    F_OBJECT(struct keys_out, values, FIELD_NULLABLE, COUNT_MAX, "values, if requested"),
    F_END
};

static err keys(struct ctx *c, const void *in, void *out)
{
    const struct keys_in *i = in;
    struct keys_out *o = out;

    return i->values ? working_all(c, &SCOPE(i), i->prefix, &o->keys, &o->values)
                     : working_keys(c, &SCOPE(i), i->prefix, &o->keys);
}

static const struct op WORKING_KEY_LIST = {
    .name = "working.keys", .method = "GET", .path = WORKING_PATH "/keys", .tool = "working_keys", WORKING_TAG,
    .summary = "Lists the live keys of a scope, with their values if requested.",
    .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
    OP_IN(KEYS_IN, struct keys_in), OP_OUT(KEYS_OUT, struct keys_out), .run = keys,
};

/* ---- one key */

struct key_in {
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id, *key;
};

static const struct field KEY_IN[] = {
    F_SCOPE(struct key_in),
    F_KEY(struct key_in),
    F_END
};

struct value_out {
    const char *key;
    const struct json *value;
    bool found;
};

static const struct field VALUE_OUT[] = {
    F_STR(struct value_out, key, 0, 0, WORKING_KEY, "key"),
    F_JSON(struct value_out, value, FIELD_NULLABLE, COUNT_MAX, "value"),
    F_BOOL(struct value_out, found, 0, true, "always true: an absent key is 404"),
    F_END
};

static err retrieve(struct ctx *c, const void *in, void *out)
{
    const struct key_in *i = in;
    struct value_out *o = out;

    *o = (struct value_out){.key = i->key, .found = true};
    return working_retrieve(c, &SCOPE(i), i->key, &o->value);
}

static const struct op WORKING_RETRIEVE = {
    .name = "working.retrieve", .method = "GET", .path = WORKING_PATH "/keys/:key", .tool = "working_retrieve", WORKING_TAG,
    .summary = "Returns the value of a key; HEAD checks whether it exists.",
    .help = "A stored null is found; an absent key is 404. Reading does not change the time to live.",
    .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
    OP_IN(KEY_IN, struct key_in), OP_OUT(VALUE_OUT, struct value_out), .run = retrieve,
};

struct store_in {
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id, *key;
    const struct json *value;
    int64_t ttl;
    bool if_absent;
};

static const struct field STORE_IN[] = {
    F_SCOPE(struct store_in),
    F_KEY(struct store_in),
    F_VALUE(struct store_in),
    F_TTL(struct store_in),
    F_IF_ABSENT(struct store_in),
    F_END
};

static err working_call_store(struct ctx *c, const void *in, void *out)
{
    const struct store_in *i = in;

    return working_store(c, &SCOPE(i), &(struct working_new){i->key, i->value, i->ttl, i->if_absent}, out);
}

static const struct op WORKING_STORE = {
    .name = "working.store", .method = "PUT", .path = WORKING_PATH "/keys/:key", .tool = "working_store", WORKING_TAG,
    .summary = "Stores a value under a key for a limited time.",
    .help = "task_state must be an object, conversation_context a list of messages {role, content, timestamp}, scratch_pad a text; "
            "tool:<tool> and intermediate:<step> any JSON. At most 512 keys and 8 MiB per scope, then 409 quota_exceeded.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
    OP_IN(STORE_IN, struct store_in), OP_OUT(WORKING_STORED_OUT, struct working_stored), .run = working_call_store,
};

static const struct field MESSAGE_IN[] = {
    F_STR(struct working_message, role, FIELD_REQUIRED, 1, 64, "role, such as user, assistant or tool"),
    F_JSON(struct working_message, content, FIELD_REQUIRED, WORKING_VALUE, "content, at most 262144 bytes"),
    F_TIME(struct working_message, timestamp, FIELD_NULLABLE, "time; default: now"),
    F_END
};

struct append_in {
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id, *key, *text;
    const struct working_message *message;
};

static const struct field APPEND_IN[] = {
    F_SCOPE(struct append_in),
    F_KEY(struct append_in),
    F_OBJ(struct append_in, message, FIELD_NULLABLE, MESSAGE_IN, struct working_message, "message appended to a list; at most 500 and 1 MiB, the "
                                                                                         "oldest are dropped"),
    F_STR(struct append_in, text, FIELD_NULLABLE | FIELD_RAW, 1, WORKING_PAD, "text appended after a blank line; at most 64 KiB, the oldest "
                                                                              "paragraphs are dropped"),
    F_END
};

static err working_call_append(struct ctx *c, const void *in, void *out)
{
    const struct append_in *i = in;

    return working_append(c, &SCOPE(i), &(struct working_addition){i->key, i->message, i->text}, out);
}

static const struct op WORKING_APPEND = {
    .name = "working.append", .method = "POST", .path = WORKING_PATH "/keys/:key/append", .tool = "working_append", WORKING_TAG,
    .summary = "Appends a message to a conversation, or text to a scratch pad.",
    .help = "Atomic; creates the key if absent. Renews the time to live, never shortens it.",
    .perm = PERM_MEMORY_WRITE,
    OP_IN(APPEND_IN, struct append_in), OP_OUT(WORKING_STORED_OUT, struct working_stored), .run = working_call_append,
};

struct removed_out {
    bool removed;
};

static const struct field REMOVED_OUT[] = {
    F_BOOL(struct removed_out, removed, 0, false, "whether it existed"),
    F_END
};

OP_CALL(WORKING_REMOVE, struct key_in, struct removed_out, working_remove(c, &SCOPE(in), in->key, &out->removed),
        .name = "working.remove", .method = "DELETE", .path = WORKING_PATH "/keys/:key", .tool = "working_remove", WORKING_TAG,
        .summary = "Deletes a key.", .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_DESTRUCTIVE,
        OP_IN(KEY_IN, struct key_in), OP_OUT(REMOVED_OUT, struct removed_out));

struct clear_in {
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id;
    bool all;
};

static const struct field CLEAR_IN[] = {
    F_SCOPE(struct clear_in),
    F_BOOL(struct clear_in, all, 0, false, "confirms the scope without session, run and task"),
    F_END
};

struct cleared_out {
    int64_t cleared;
};

static const struct field CLEARED_OUT[] = {
    F_INT(struct cleared_out, cleared, 0, 0, WORKING_KEYS, 0, "number of keys deleted"),
    F_END
};

OP_CALL(WORKING_CLEAR, struct clear_in, struct cleared_out, working_clear(c, &SCOPE(in), in->all, &out->cleared),
        .name = "working.clear", .method = "DELETE", .path = WORKING_PATH "/keys", WORKING_TAG,
        .summary = "Deletes all keys of this scope; other scopes of the agent stay.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_DESTRUCTIVE,
        OP_IN(CLEAR_IN, struct clear_in), OP_OUT(CLEARED_OUT, struct cleared_out));

static const struct field SCOPE_IN[] = {
    F_SCOPE(struct scope_in),
    F_END
};

static const struct field STATS_OUT[] = {
    F_INT(struct working_stats, key_count, 0, 0, WORKING_KEYS, 0, "live keys"),
    F_INT(struct working_stats, total_size_bytes, 0, 0, WORKING_BYTES, 0, "bytes of their values"),
    F_STR(struct working_stats, context_id, 0, 0, 4 * WORKING_ID, "scope"),
    F_UUID(struct working_stats, agent_id, 0, "agent whose memory is used"),
    F_STR(struct working_stats, task_id, FIELD_NULLABLE, 0, WORKING_ID, "task of the scope"),
    F_STR(struct working_stats, workflow_run_id, FIELD_NULLABLE, 0, WORKING_ID, "run of the scope"),
    F_END
};

OP_CALL(WORKING_STATS, struct scope_in, struct working_stats, working_statistics(c, &SCOPE(in), out),
        .name = "working.stats", .method = "GET", .path = WORKING_PATH "/stats", WORKING_TAG,
        .summary = "Returns the number of keys and bytes of a scope.", .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_IN(SCOPE_IN, struct scope_in), OP_OUT(STATS_OUT, struct working_stats));

const struct op *const working_calls_table[] = { &WORKING_KEY_LIST, &WORKING_RETRIEVE, &WORKING_STORE, &WORKING_APPEND, &WORKING_REMOVE,
                                                 &WORKING_CLEAR, &WORKING_STATS, NULL };
