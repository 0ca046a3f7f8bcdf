/* The operations of the router over the tiers of memory. */
#include "job_service.h"
#include "memory_calls.h"
#include "promote.h"
#include "promote_job.h"
#include "tiered.h"
#include "working.h"

#define TAG .tag = "tiered memory"
#define PATH "/api/v1/ai/agents/:agent_id/tiered_memory"
#define COUNT_MAX 9e15

#define F_AGENT(s) F_UUID(s, agent_id, FIELD_REQUIRED, "whose memory")
#define F_SESSION(s) F_STR(s, session_id, FIELD_RAW, 1, WORKING_ID, "of this session; left out: none in working memory, default in short-term memory")
#define F_KEY(s) F_STR(s, key, FIELD_REQUIRED | FIELD_RAW, 1, SHORT_TERM_KEY, "the key")
#define F_TIER(s, flags, help) F_ENUM(s, tier, flags, memory_tier, TIER_SHORT_TERM, help)

struct read_in {
    struct given given;
    struct uuid agent_id;
    const char *session_id, *key;
    enum memory_tier tier;
    bool peek;
};

static const struct field READ_IN[] = {
    F_AGENT(struct read_in),
    F_KEY(struct read_in),
    F_SESSION(struct read_in),
    F_TIER(struct read_in, 0, "only this tier"),
    F_BOOL(struct read_in, peek, 0, false, "look without using it"),
    F_END
};

static const struct field FOUND_OUT[] = {
    F_BOOL(struct tiered_found, found, 0, false, "is it in one of them"),
    F_STR(struct tiered_found, tier, FIELD_NULLABLE, 0, 16, "the tier that had it"),
    F_STR(struct tiered_found, key, 0, 0, SHORT_TERM_KEY, "the key"),
    F_JSON(struct tiered_found, value, FIELD_NULLABLE, COUNT_MAX, "what it holds"),
    F_UUID(struct tiered_found, id, FIELD_NULLABLE, "its id; working memory has none"),
    F_INT(struct tiered_found, version, 0, 0, COUNT_MAX, 0, "its version; 0: working memory has none"),
    F_STRS(struct tiered_found, skipped, 0, 4, "tiers that could not be asked"),
    F_END
};

static err read(struct ctx *c, const void *in, void *out)
{
    const struct read_in *i = in;

    return tiered_read(c, &(struct tiered_key){ i->agent_id, i->session_id, i->key, given(i, tier) ? (int)i->tier : -1 }, i->peek, out);
}

static const struct op READ = {
    .name = "tiered.read", .method = "GET", .path = PATH, TAG,
    .summary = "What is kept under a key, in the first tier that has it.",
    .help = "In the order working, short_term, long_term: there the agent's own contexts first, then others that may be read. A miss is found=false. A hit in short-term memory is a use: the third makes it a memory for good.",
    .perm = PERM_MEMORY_READ, .flags = OP_IDEMPOTENT | OP_GIVEN,
    OP_IN(READ_IN, struct read_in), OP_OUT(FOUND_OUT, struct tiered_found), .run = read,
};

struct write_in {
    struct given given;
    struct uuid agent_id;
    const char *session_id, *key;
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
    F_TIER(struct write_in, 0, "where to"),
    F_SESSION(struct write_in),
    F_INT(struct write_in, ttl, 0, 1, SHORT_TERM_TTL_MAX, 0, "seconds to live: 1 to 86400 in working memory, 60 to 604800 in short-term memory; left out: 3600, and for good in long-term memory"),
    F_ENUM(struct write_in, type, 0, short_term_type, SHORT_TASK_CONTEXT, "what sort of thing it is; left out: task_context in short-term, an observation in long-term memory"),
    F_STRS(struct write_in, tags, 0, SHORT_TERM_TAGS, "words to find it by, in short-term and long-term memory"),
    F_END
};

static const struct field WRITTEN_OUT[] = {
    F_STR(struct tiered_written, tier, 0, 0, 16, "where it is"),
    F_STR(struct tiered_written, key, 0, 0, SHORT_TERM_KEY, "the key"),
    F_UUID(struct tiered_written, id, FIELD_NULLABLE, "its id; working memory has none"),
    F_INT(struct tiered_written, version, 0, 0, COUNT_MAX, 0, "its version; 0: working memory has none"),
    F_TIME(struct tiered_written, expires_at, FIELD_NULLABLE, "when it is gone"),
    F_END
};

static err write(struct ctx *c, const void *in, void *out)
{
    const struct write_in *i = in;

    return tiered_write(c, &(struct tiered_new){ { i->agent_id, i->session_id, i->key, (int)i->tier }, i->value, i->ttl,
                                                given(i, type) ? (int)i->type : -1, i->tags }, out);
}

static const struct op WRITE = {
    .name = "tiered.write", .method = "POST", .path = PATH, TAG,
    .summary = "Keep a value under a key in one tier.",
    .help = "In long_term it is an entry of the agent's context Long-Term Memory, and the one with the key gets a version more.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_GIVEN,
    OP_IN(WRITE_IN, struct write_in), OP_OUT(WRITTEN_OUT, struct tiered_written), .run = write,
};

struct delete_in {
    struct uuid agent_id;
    const char *session_id, *key;
    enum memory_tier tier;
};

static const struct field DELETE_IN[] = {
    F_AGENT(struct delete_in),
    F_KEY(struct delete_in),
    F_SESSION(struct delete_in),
    F_TIER(struct delete_in, FIELD_REQUIRED, "from where"),
    F_END
};

struct deleted_out {
    bool deleted;
};

static const struct field DELETED_OUT[] = {
    F_BOOL(struct deleted_out, deleted, 0, false, "was it there"),
    F_END
};

static err drop(struct ctx *c, const void *in, void *out)
{
    const struct delete_in *i = in;

    return tiered_delete(c, &(struct tiered_key){ i->agent_id, i->session_id, i->key, (int)i->tier }, &((struct deleted_out *)out)->deleted);
}

static const struct op DELETE = {
    .name = "tiered.delete", .method = "DELETE", .path = PATH "/:key", TAG,
    .summary = "Forget a key in one tier; in long_term it is archived.", .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_DESTRUCTIVE,
    OP_IN(DELETE_IN, struct delete_in), OP_OUT(DELETED_OUT, struct deleted_out), .run = drop,
};

struct consolidate_in {
    struct uuid agent_id;
    const char *session_id;
};

static const struct field CONSOLIDATE_IN[] = {
    F_AGENT(struct consolidate_in),
    F_STR(struct consolidate_in, session_id, FIELD_RAW | FIELD_NULLABLE, 1, WORKING_ID, "only of this session"),
    F_END
};

static const struct field CONSOLIDATED_OUT[] = {
    F_INT(struct consolidated, promoted, 0, 0, COUNT_MAX, 0, "became entries, or new versions of them"),
    F_INT(struct consolidated, duplicates, 0, 0, COUNT_MAX, 0, "were known already"),
    F_INT(struct consolidated, failed, 0, 0, COUNT_MAX, 0, "could not be promoted; the rows say why"),
    F_INT(struct consolidated, queued, 0, 0, COUNT_MAX, 0, "are still to be done: call again"),
    F_INT(struct consolidated, expired, 0, 0, COUNT_MAX, 0, "of these, beyond their time to live"),
    F_END
};

static err consolidate(struct ctx *c, const void *in, void *out)
{
    const struct consolidate_in *i = in;

    return promote_agent(c, i->agent_id, i->session_id, out);
}

static const struct op CONSOLIDATE = {
    .name = "tiered.consolidate", .method = "POST", .path = PATH "/consolidate", .tool = "consolidate_memory", TAG,
    .summary = "Put short-term memories that were read three times into long-term memory, now.",
    .help = "At most 200 rows a call. They are promoted by themselves within seconds, and by night at the latest.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
    OP_IN(CONSOLIDATE_IN, struct consolidate_in), OP_OUT(CONSOLIDATED_OUT, struct consolidated), .run = consolidate,
};

struct all_out {
    struct uuid id;
};

static const struct field ALL_OUT[] = {
    F_UUID(struct all_out, id, 0, "the run"),
    F_END
};

static err consolidate_all(struct ctx *c, const void *in, void *out)
{
    struct run_request r = { .job = memory_consolidation_job.name };
    struct instant now;

    (void)in;
    TRY(jobs_now(c, &now));
    return job_run_request(c, &r, now, &((struct all_out *)out)->id);
}

static const struct op CONSOLIDATE_ALL = {
    .name = "memory.consolidate", .method = "POST", .path = "/api/v1/ai/memory/consolidate", TAG,
    .summary = "Consolidate the short-term memory of all agents of the account, as the job does by night.",
    .help = "One run that was asked for at a time: 409 while another is under way.",
    .perm = PERM_MEMORY_MANAGE, .flags = OP_ACCEPTED,
    OP_OUT(ALL_OUT, struct all_out), .run = consolidate_all,
};

const struct op *const tiered_calls_table[] = { &READ, &WRITE, &DELETE, &CONSOLIDATE, &CONSOLIDATE_ALL, NULL };
