/* Memory pools: documents that agents share, with an access list, limits and a version. */
#ifndef LOCI_POOL_H
#define LOCI_POOL_H

#include "access.h"
#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "pool_policy.h"
#include "space.h"

#define POOL_REFERENCE 128 /* characters of the ids of runs, sessions and tasks */
#define POOL_METADATA (64 * 1024)
#define POOL_DEFAULT "default"  /* the pool that everybody has: made by the first write … */
#define POOL_PRIVATE "private." /* … and what those of single agents begin with: see private.h */

#define POOL_TYPE(X) \
    X(POOL_SHARED, "shared") X(POOL_AGENT_PRIVATE, "agent_private") X(POOL_TEAM_SHARED, "team_shared") \
    X(POOL_TASK_SCOPED, "task_scoped") X(POOL_GLOBAL, "global") X(POOL_SHARED_MEMORY, "shared_memory") \
    X(POOL_TOOL_CACHE, "tool_cache") X(POOL_BLACKBOARD, "blackboard") X(POOL_RESULT_CACHE, "result_cache")
ENUMX_DECLARE(pool_type, POOL_TYPE);

/* For whom, or how long: the word that was given is kept, the other side follows from the type. */
#define POOL_SCOPE(X) \
    X(POOL_SCOPE_ACCOUNT, "account") X(POOL_SCOPE_GLOBAL, "global") X(POOL_SCOPE_TEAM, "team") X(POOL_SCOPE_AGENT, "agent") \
    X(POOL_SCOPE_TASK, "task") X(POOL_SCOPE_EXECUTION, "execution") X(POOL_SCOPE_PERSISTENT, "persistent") \
    X(POOL_SCOPE_SESSION, "session") X(POOL_SCOPE_WORKFLOW, "workflow") X(POOL_SCOPE_AGENT_GROUP, "agent_group") \
    X(POOL_SCOPE_TEMPORARY, "temporary")
ENUMX_DECLARE(pool_scope, POOL_SCOPE);

/* What only a pool has; the rest is on its space. */
struct pool_row {
    struct uuid space_id;
    enum pool_type pool_type;
    enum pool_scope scope;
    bool persist_across_executions;
    const char *task_execution_id, *workflow_run_id, *session_id;
    const struct json *metadata, *retention_policy;
    int64_t version, key_count, data_size_bytes, access_count, write_count, evicted_count, expired_count;
    struct instant last_write_at;
};

struct pool {
    struct uuid id;
    const char *pool_id, *name, *description;
    enum pool_type pool_type;
    enum pool_scope scope;
    struct uuid owner_agent_id, team_id;
    bool persist_across_executions;
    const char *task_execution_id, *workflow_run_id, *session_id;
    const struct json *metadata, *retention_policy; /* the policy with all its defaults */
    const struct json *access_control;              /* of one pool, for whoever manages it; else NULL */
    const char *access_words;                       /* the same as a sentence */
    enum access_level access;                       /* what the caller may do here */
    int64_t version;                                /* counts changes of its content … */
    int64_t revision;                               /* … and of its settings: name, limits, access */
    int64_t key_count, data_size_bytes, write_count;
    struct instant created_at, updated_at, last_write_at, expires_at;
};

struct pool_new {
    const char *pool_id; /* NULL: made up */
    const char *name, *description;
    enum pool_type pool_type;
    int scope; /* an enum pool_scope, or -1: what goes with the type */
    struct uuid owner_agent_id, team_id;
    const struct json *access_control, *retention_policy, *metadata;
    bool persist_across_executions;
    const char *task_execution_id, *workflow_run_id, *session_id;
    struct instant expires_at;
};

#define POOL_SET_NAME 1u
#define POOL_SET_DESCRIPTION 2u
#define POOL_SET_SCOPE 4u
#define POOL_SET_ACCESS 8u
#define POOL_SET_RETENTION 16u /* members that are given replace those that are there */
#define POOL_SET_EXPIRES 32u
#define POOL_SET_METADATA 64u /* merged: RFC 7396 */
#define POOL_SET_PERSIST 128u

struct pool_patch {
    unsigned set;
    int64_t if_match;    /* version + revision; 0 or less: any */
    int64_t if_revision; /* likewise */
    const char *name, *description;
    enum pool_scope scope;
    const struct json *access_control, *retention_policy, *metadata;
    bool persist_across_executions;
    struct instant expires_at;
};

struct pool_filter {
    int pool_type, scope;                            /* an enum's value, or -1: any; persistent: also those that persist_across_executions */
    struct uuid agent_id, team_id;                   /* owner; nil: any */
    const char *workflow_run_id, *task_execution_id; /* NULL: any */
    bool include_expired;                            /* those too whose time is over, where the caller could manage them */
    int64_t limit;
    const char *cursor;
};

/* `ref` is everywhere a pool_id or the UUID of a pool. Whoever makes a pool manages it: an agent as its owner. */
err pool_create(struct ctx *c, const struct pool_new *in, struct pool *out);
err pool_get(struct ctx *c, const char *ref, struct pool *out);
err pool_list(struct ctx *c, const struct pool_filter *f, struct page *out);
err pool_update(struct ctx *c, const char *ref, const struct pool_patch *p, struct pool *out);
/* Also one that has expired. The default pool stays: ERR_CONFLICT. */
err pool_delete(struct ctx *c, const char *ref);
/* Brings a deleted or expired pool back, for SPACE_RESTORE_DAYS_POOL; its expiry is gone then. A new pool may have taken its pool_id
 * meanwhile: then it is found by its UUID, and has another pool_id. */
err pool_restore(struct ctx *c, const char *ref, struct pool *out);

/* ---- for the services of this room */

/* The space of a pool that the caller can read. */
err pool_find(struct ctx *c, const char *ref, struct space *out);
/* The same inside the transaction of a write: POOL_DEFAULT is made when it is not there. ERR_FORBIDDEN when it may only be read. */
err pool_find_to_write(struct ctx *c, const char *ref, struct space *out);
/* The event memory_pool_update, which is news for who may read the pool. keys: what had to make room, or NULL. */
err pool_tell_update(struct ctx *c, const struct space *s, const struct pool_row *row, const struct json *evicted);

#endif
