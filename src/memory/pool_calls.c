/* The operations of pools: what they are, who may use them, how they are limited. */
#include "pool_calls.h"
#include "memory_calls.h"
#include "pool_data.h"

#define TAG .tag = "pools"
#define P "/api/v1/ai/memory_pools"
#define REF(s) F_STR(s, pool_id, FIELD_REQUIRED, 1, 150, "pool_id or UUID of the pool")
#define COUNT_MAX 9e15

const struct field pool_fields[] = {
    F_UUID(struct pool, id, 0, "UUID of the pool"),
    F_STR(struct pool, pool_id, 0, 0, 150, "slug, unique in the account"),
    F_STR(struct pool, name, 0, 0, LIMIT_NAME, "display name"),
    F_STR(struct pool, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_ENUM(struct pool, pool_type, 0, pool_type, POOL_SHARED, "type of pool"),
    F_ENUM(struct pool, scope, 0, pool_scope, POOL_SCOPE_ACCOUNT, "scope: audience or lifetime"),
    F_UUID(struct pool, owner_agent_id, FIELD_NULLABLE, "agent that owns it"),
    F_UUID(struct pool, team_id, FIELD_NULLABLE, "team"),
    F_BOOL(struct pool, persist_across_executions, 0, false, "outlives its task or run"),
    F_STR(struct pool, task_execution_id, FIELD_NULLABLE, 0, POOL_REFERENCE, "task it belongs to"),
    F_STR(struct pool, workflow_run_id, FIELD_NULLABLE, 0, POOL_REFERENCE, "workflow run it belongs to"),
    F_STR(struct pool, session_id, FIELD_NULLABLE, 0, POOL_REFERENCE, "session it belongs to"),
    F_OBJECT(struct pool, metadata, 0, POOL_METADATA, "metadata"),
    F_OBJECT(struct pool, retention_policy, 0, LIMIT_SETTINGS, "limits with their defaults"),
    F_OBJECT(struct pool, access_control, FIELD_NULLABLE, LIMIT_SETTINGS, "access control, as in PATCH; only when one pool is read, by a "
                                                                          "caller who can manage it"),
    F_STR(struct pool, access_words, FIELD_NULLABLE, 0, 100000, "the same as text"),
    F_ENUM(struct pool, access, 0, access_level, ACCESS_READ, "access level of the caller"),
    F_INT(struct pool, version, 0, 1, COUNT_MAX, 1, "version of the content; increases with every change"),
    F_INT(struct pool, revision, 0, 1, COUNT_MAX, 1, "revision of the settings: name, limits, access, lifetime"),
    F_INT(struct pool, key_count, 0, 0, COUNT_MAX, 0, "number of keys"),
    F_INT(struct pool, data_size_bytes, 0, 0, COUNT_MAX, 0, "bytes of keys and values"),
    F_INT(struct pool, write_count, 0, 0, COUNT_MAX, 0, "number of writes"),
    F_TIME(struct pool, created_at, 0, "when it was created"),
    F_TIME(struct pool, updated_at, 0, "when its settings were last changed"),
    F_TIME(struct pool, last_write_at, FIELD_NULLABLE, "when its data was last changed"),
    F_TIME(struct pool, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this"),
    F_END
};

/* ---- create */

static const struct field CREATE_IN[] = {
    F_STR(struct pool_new, pool_id, FIELD_SLUG, 1, LIMIT_SLUG, "slug; default: generated"),
    F_STR(struct pool_new, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct pool_new, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_ENUM(struct pool_new, pool_type, 0, pool_type, POOL_SHARED, "shared, agent_private, team_shared, task_scoped or global; the others belong to workflow runs"),
    F_ENUM(struct pool_new, scope, FIELD_NULLABLE, pool_scope, -1, "scope: audience (account, global, team, agent, task) or lifetime "
                                                                   "(execution, persistent, session); default: by type"),
    F_UUID(struct pool_new, owner_agent_id, FIELD_NULLABLE, "agent that owns it; default for agents: the caller"),
    F_UUID(struct pool_new, team_id, FIELD_NULLABLE, "team with write access; required for team_shared"),
    F_OBJECT(struct pool_new, access_control, FIELD_NULLABLE, LIMIT_SETTINGS, "access control: {read, write, agents, users: [ids], "
                                                                              "public_read, public: true or false}; default: only its owner "
                                                                              "(and team)"),
    F_OBJECT(struct pool_new, retention_policy, FIELD_NULLABLE, LIMIT_SETTINGS, "{ttl_seconds, max_size_bytes, max_entries, eviction: lru, lfu, oldest, importance or reject}"),
    F_OBJECT(struct pool_new, metadata, FIELD_NULLABLE, POOL_METADATA, "metadata"),
    F_BOOL(struct pool_new, persist_across_executions, 0, false, "outlives its task or run"),
    F_STR(struct pool_new, task_execution_id, FIELD_NULLABLE, 1, POOL_REFERENCE, "task it belongs to"),
    F_STR(struct pool_new, workflow_run_id, FIELD_NULLABLE, 1, POOL_REFERENCE, "workflow run it belongs to"),
    F_STR(struct pool_new, session_id, FIELD_NULLABLE, 1, POOL_REFERENCE, "session it belongs to"),
    F_TIME(struct pool_new, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this"),
    F_END
};

OP_CALL(POOL_CREATE, struct pool_new, struct pool, pool_create(c, in, out),
        .name = "pool.create", .method = "POST", .path = P, .tool = "create_memory_pool", TAG,
        .summary = "Creates a memory pool.", .help = "The creator can manage the pool: an agent as its owner, a user by a grant.",
        .perm = PERM_POOLS_MANAGE, .flags = OP_CREATES | OP_ETAG,
        OP_IN(CREATE_IN, struct pool_new), OP_OUT(pool_fields, struct pool));

/* ---- list and get */

static const struct field LIST_IN[] = {
    F_ENUM(struct pool_filter, pool_type, FIELD_NULLABLE, pool_type, -1, "only pools of this type"),
    F_ENUM(struct pool_filter, scope, FIELD_NULLABLE, pool_scope, -1, "only pools with this scope; persistent includes those with "
                                                                      "persist_across_executions"),
    F_UUID(struct pool_filter, agent_id, FIELD_NULLABLE, "only pools that this agent owns"),
    F_UUID(struct pool_filter, team_id, FIELD_NULLABLE, "only pools of this team"),
    F_STR(struct pool_filter, task_execution_id, FIELD_NULLABLE, 1, POOL_REFERENCE, "only pools of this task"),
    F_BOOL(struct pool_filter, include_expired, 0, false, "include expired pools that you manage; they can be restored for 7 days"),
    F_PAGE(struct pool_filter),
    F_END
};

OP_CALL(POOL_LIST, struct pool_filter, struct page, pool_list(c, in, out),
        .name = "pool.list", .method = "GET", .path = P, .tool = "list_pools", TAG,
        .summary = "Lists the pools that the caller can read, newest first.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct pool_filter), OP_OUT(pool_fields, struct pool));

struct ref_in {
    const char *pool_id;
};

static const struct field REF_IN[] = {
    REF(struct ref_in),
    F_END
};

OP_CALL(POOL_GET, struct ref_in, struct pool, pool_get(c, in->pool_id, out),
        .name = "pool.get", .method = "GET", .path = P "/:pool_id", TAG,
        .summary = "Returns a pool.", .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
        OP_IN(REF_IN, struct ref_in), OP_OUT(pool_fields, struct pool));

static const struct field WRITER_OUT[] = {
    F_STR(struct pool_writer, kind, 0, 0, 8, "user, agent or system"),
    F_UUID(struct pool_writer, id, 0, "who"),
    F_INT(struct pool_writer, keys, 0, 0, COUNT_MAX, 0, "keys last written by this writer"),
    F_END
};

static const struct field STATISTICS_OUT[] = {
    F_INT(struct pool_statistics, entry_count, 0, 0, COUNT_MAX, 0, "live keys"),
    F_INT(struct pool_statistics, total_keys, 0, 0, COUNT_MAX, 0, "keys including expired ones not yet cleaned up"),
    F_INT(struct pool_statistics, data_size_bytes, 0, 0, COUNT_MAX, 0, "bytes of keys and values"),
    F_INT(struct pool_statistics, max_size_bytes, 0, 0, COUNT_MAX, 0, "limit of the bytes"),
    F_INT(struct pool_statistics, max_entries, 0, 0, COUNT_MAX, 0, "limit of the number of keys"),
    F_NUM(struct pool_statistics, fill, 0, 0, COUNT_MAX, 0, "usage in percent of the nearer limit"),
    F_INT(struct pool_statistics, version, 0, 1, COUNT_MAX, 1, "version of the content"),
    F_INT(struct pool_statistics, access_count, 0, 0, COUNT_MAX, 0, "number of reads, a few seconds old"),
    F_INT(struct pool_statistics, write_count, 0, 0, COUNT_MAX, 0, "number of writes"),
    F_INT(struct pool_statistics, evicted_count, 0, 0, COUNT_MAX, 0, "keys evicted to make room"),
    F_INT(struct pool_statistics, expired_count, 0, 0, COUNT_MAX, 0, "number of expired keys"),
    F_INT(struct pool_statistics, age_seconds, 0, 0, COUNT_MAX, 0, "seconds since creation"),
    F_TIME(struct pool_statistics, last_accessed_at, FIELD_NULLABLE, "time of the last read"),
    F_INT(struct pool_statistics, last_access_ago, 0, -1, COUNT_MAX, -1, "seconds since the last read; -1: never"),
    F_LIST(struct pool_statistics, writers, 0, POOL_WRITERS, WRITER_OUT, struct pool_writer, "writers with the most keys"),
    F_END
};

OP_CALL(POOL_STATISTICS, struct ref_in, struct pool_statistics, pool_statistics(c, in->pool_id, out),
        .name = "pool.statistics", .method = "GET", .path = P "/:pool_id/statistics", TAG,
        .summary = "Returns statistics of a pool: keys, bytes, limits, uses, writers.", .perm = PERM_MEMORY_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT, OP_IN(REF_IN, struct ref_in), OP_OUT(STATISTICS_OUT, struct pool_statistics));

/* ---- update and delete */

struct update_in {
    struct given given;
    const char *pool_id;
    int64_t if_revision;
    const char *name, *description;
    enum pool_scope scope;
    const struct json *access_control, *retention_policy, *metadata;
    bool persist_across_executions;
    struct instant expires_at;
};

static const struct field UPDATE_IN[] = {
    REF(struct update_in),
    F_INT(struct update_in, if_revision, FIELD_NULLABLE, 1, COUNT_MAX, 0, "expected revision; If-Match checks the content as well"),
    F_STR(struct update_in, name, 0, 1, LIMIT_NAME, "display name"),
    F_STR(struct update_in, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_ENUM(struct update_in, scope, FIELD_UNSAID, pool_scope, POOL_SCOPE_ACCOUNT, "scope: audience or lifetime"),
    F_OBJECT(struct update_in, access_control, FIELD_NULLABLE, LIMIT_SETTINGS, "access control; the value from GET is a no-op; null: only "
                                                                               "its owner (and team)"),
    F_OBJECT(struct update_in, retention_policy, FIELD_NULLABLE, LIMIT_SETTINGS, "merged into the limits; null: defaults"),
    F_OBJECT(struct update_in, metadata, FIELD_NULLABLE, POOL_METADATA, "merged (RFC 7396); null clears it"),
    F_BOOL(struct update_in, persist_across_executions, FIELD_UNSAID, false, "outlives its task or run"),
    F_TIME(struct update_in, expires_at, FIELD_NULLABLE, "expiry time; null: never expires"),
    F_END
};

static err pool_call_update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct pool_patch p = { .if_match = c->if_match, .if_revision = i->if_revision, .name = i->name, .description = i->description,
                            .scope = i->scope, .persist_across_executions = i->persist_across_executions, .access_control = i->access_control, .retention_policy = i->retention_policy,
                            .metadata = i->metadata, .expires_at = i->expires_at };

    p.set = (given(i, name) ? POOL_SET_NAME : 0) | (given(i, description) ? POOL_SET_DESCRIPTION : 0) |
            (given(i, scope) ? POOL_SET_SCOPE : 0) | (given(i, access_control) ? POOL_SET_ACCESS : 0) |
            (given(i, retention_policy) ? POOL_SET_RETENTION : 0) | (given(i, expires_at) ? POOL_SET_EXPIRES : 0) |
            (given(i, metadata) ? POOL_SET_METADATA : 0) | (given(i, persist_across_executions) ? POOL_SET_PERSIST : 0);
    return pool_update(c, i->pool_id, &p, out);
}

static const struct op POOL_UPDATE = {
    .name = "pool.update", .method = "PATCH", .path = P "/:pool_id", TAG,
    .summary = "Changes the name, access or limits of a pool.", .help = "Requires the level manage.",
    .perm = PERM_POOLS_MANAGE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(pool_fields, struct pool), .run = pool_call_update,
};

OP_CALL(POOL_DELETE, struct ref_in, void, pool_delete(c, in->pool_id),
        .name = "pool.delete", .method = "DELETE", .path = P "/:pool_id", .tool = "delete_memory_pool", TAG,
        .summary = "Deletes a pool with all its keys.", .help = "It can be restored for 7 days. Also deletes an expired pool. The pool "
                                                                    "`default` cannot be deleted.",
        .perm = PERM_POOLS_MANAGE, .flags = OP_DESTRUCTIVE | OP_NO_BODY | OP_CONFIRM,
        OP_IN(REF_IN, struct ref_in));

OP_CALL(POOL_RESTORE, struct ref_in, struct pool, pool_restore(c, in->pool_id, out),
        .name = "pool.restore", .method = "POST", .path = P "/:pool_id/restore", TAG,
        .summary = "Restores a deleted or expired pool with all its keys.",
        .help = "For those who could manage it, or have memory.manage, within 7 days. It has no expiry afterwards. If a new pool uses its "
                "pool_id meanwhile, give its UUID; it gets another pool_id.",
        .perm = PERM_POOLS_MANAGE, .flags = OP_IDEMPOTENT | OP_ETAG,
        OP_IN(REF_IN, struct ref_in), OP_OUT(pool_fields, struct pool));

const struct op *const pool_calls_table[] = { &POOL_CREATE, &POOL_LIST, &POOL_GET, &POOL_STATISTICS, &POOL_UPDATE, &POOL_DELETE, &POOL_RESTORE,
                                              NULL };
