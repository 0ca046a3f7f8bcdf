/* The operations of the router over the tiers of memory. */
#include "tiered_calls.h"
#include "memory_calls.h"
#include "subject.h"
#include "tiered.h"

#define F_PLACE(s) \
    F_SESSION(s), \
    F_STR(s, run_id, FIELD_RAW, 1, WORKING_ID, "workflow run: of working memory and its pools"), \
    F_STR(s, task_id, FIELD_RAW, 1, WORKING_ID, "task: of working memory and its pools")
#define F_POOL_ID(s, help) F_STR(s, pool_id, 0, 1, 150, help)
#define F_KEY(s) F_STR(s, key, FIELD_REQUIRED | FIELD_RAW, 1, SHORT_TERM_KEY, "key")
#define F_TIER(s, flags, help) F_ENUM(s, tier, flags, memory_tier, TIER_SHORT_TERM, help)

#define AT(i, tier_) ((struct tiered_key){ .agent_id = subject_of(c, (i)->agent_id), .session_id = (i)->session_id, .run_id = (i)->run_id, \
                                           .task_id = (i)->task_id, .pool_id = (i)->pool_id, .key = (i)->key, .tier = (tier_) })

struct read_in {
    struct given given;
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id, *pool_id, *key;
    enum memory_tier tier;
    bool peek;
};

static const struct field READ_IN[] = {
    F_AGENT(struct read_in),
    F_KEY(struct read_in),
    F_PLACE(struct read_in),
    F_POOL_ID(struct read_in, "shared memory: only this pool (pool_id or UUID)"),
    F_TIER(struct read_in, FIELD_UNSAID, "only this tier"),
    F_BOOL(struct read_in, peek, 0, false, "read without counting as use"),
    F_END
};

static const struct field FOUND_OUT[] = {
    F_BOOL(struct tiered_found, found, 0, false, "whether it was found"),
    F_STR(struct tiered_found, tier, FIELD_NULLABLE, 0, 16, "tier where it was found"),
    F_STR(struct tiered_found, key, 0, 0, SHORT_TERM_KEY, "key"),
    F_JSON(struct tiered_found, value, FIELD_NULLABLE, COUNT_MAX, "value"),
    F_UUID(struct tiered_found, id, FIELD_NULLABLE, "id; null in working memory"),
    F_INT(struct tiered_found, version, 0, 0, COUNT_MAX, 0, "version; 0 in working memory"),
    F_STRS(struct tiered_found, skipped, 0, 4, "tiers that were unavailable"),
    F_END
};

OP_CALL(TIERED_READ, struct read_in, struct tiered_found, tiered_read(c, &AT(in, given(in, tier) ? (int)in->tier : -1), in->peek, out),
        .name = "tiered.read", .method = "GET", .path = TIERED_PATH, .tool = "tiered_read", TIERED_TAG,
        .summary = "Returns the value of a key from the first tier that has it.",
        .help = "Order: working, short_term, long_term (the agent's own contexts first, then other readable ones), shared (the agent's private "
                "pool, pools of the task and the run, of teams, `default`, then shared knowledge with exactly this title). A miss is "
                "found=false. A hit in short-term memory counts as use; the third promotes it to long-term memory.",
        .perm = PERM_MEMORY_READ, .flags = OP_IDEMPOTENT | OP_GIVEN,
        OP_IN(READ_IN, struct read_in), OP_OUT(FOUND_OUT, struct tiered_found));

struct write_in {
    struct given given;
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id, *pool_id, *key;
    const struct json *value;
    enum memory_tier tier;
    int64_t ttl;
    enum short_term_type type;
    struct strs tags;
};

static const struct field WRITE_IN[] = {
    F_AGENT(struct write_in),
    F_KEY(struct write_in),
    F_JSON(struct write_in, value, FIELD_REQUIRED, SHORT_TERM_VALUE, "any JSON, null too; at most 262144 bytes"),
    F_TIER(struct write_in, 0, "tier to write to"),
    F_PLACE(struct write_in),
    F_POOL_ID(struct write_in, "shared memory: pool_id or UUID; default: the pool default"),
    F_INT(struct write_in, ttl, 0, 1, SHORT_TERM_TTL_MAX, 0, "seconds to live: 1 to 86400 in working memory, 60 to 604800 in short-term "
                                                             "memory; default: 3600, permanent in long-term memory, and the lifetime of the "
                                                             "pool in a pool"),
    F_ENUM(struct write_in, type, FIELD_UNSAID, short_term_type, SHORT_TASK_CONTEXT, "type; default: task_context in short-term, observation in "
                                                                                     "long-term memory"),
    F_STRS(struct write_in, tags, 0, SHORT_TERM_TAGS, "tags; not in working memory"),
    F_END
};

static const struct field WRITTEN_OUT[] = {
    F_STR(struct tiered_written, tier, 0, 0, 16, "tier"),
    F_STR(struct tiered_written, key, 0, 0, SHORT_TERM_KEY, "key"),
    F_UUID(struct tiered_written, id, FIELD_NULLABLE, "id; null in working memory"),
    F_INT(struct tiered_written, version, 0, 0, COUNT_MAX, 0, "version; 0 in working memory"),
    F_TIME(struct tiered_written, expires_at, FIELD_NULLABLE, "expiry time"),
    F_END
};

static err tiered_call_write(struct ctx *c, const void *in, void *out)
{
    const struct write_in *i = in;

    return tiered_write(c, &(struct tiered_new){ AT(i, (int)i->tier), i->value, i->ttl,
                                                given(i, type) ? (int)i->type : -1, i->tags }, out);
}

static const struct op TIERED_WRITE = {
    .name = "tiered.write", .method = "POST", .path = TIERED_PATH, .tool = "session_note", TIERED_TAG,
    .summary = "Stores a value under a key in one tier.",
    .help = "In long_term it is an entry of the agent's context Long-Term Memory; an existing key gets a new version. In shared it is a key "
            "of a pool.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_GIVEN,
    OP_IN(WRITE_IN, struct write_in), OP_OUT(WRITTEN_OUT, struct tiered_written), .run = tiered_call_write,
};

struct delete_in {
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id, *pool_id, *key;
    enum memory_tier tier;
};

static const struct field DELETE_IN[] = {
    F_AGENT(struct delete_in),
    F_KEY(struct delete_in),
    F_PLACE(struct delete_in),
    F_POOL_ID(struct delete_in, "shared memory: pool_id or UUID; default: the pool default"),
    F_TIER(struct delete_in, FIELD_REQUIRED, "tier"),
    F_END
};

struct deleted_out {
    bool deleted;
};

static const struct field DELETED_OUT[] = {
    F_BOOL(struct deleted_out, deleted, 0, false, "whether it existed"),
    F_END
};

OP_CALL(TIERED_DELETE, struct delete_in, struct deleted_out, tiered_delete(c, &AT(in, (int)in->tier), &out->deleted),
        .name = "tiered.delete", .method = "DELETE", .path = TIERED_PATH "/:key", TIERED_TAG,
        .summary = "Deletes a key in one tier; in long_term it is archived.", .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_DESTRUCTIVE,
        OP_IN(DELETE_IN, struct delete_in), OP_OUT(DELETED_OUT, struct deleted_out));

const struct op *const tiered_calls_table[] = {&TIERED_READ, &TIERED_WRITE, &TIERED_DELETE, NULL};
