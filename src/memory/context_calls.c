/* The operations of contexts. */
#include "context_calls.h"

#include "memory_calls.h"

#define ROW \
    F_UUID(struct context, id, 0, "id of the context (and of its space)"), \
    F_STR(struct context, context_id, 0, 0, CONTEXT_HANDLE, "handle; can be used in paths instead of the id"), \
    F_STR(struct context, name, 0, 0, LIMIT_NAME, "display name"), \
    F_STR(struct context, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"), \
    F_ENUM(struct context, context_type, 0, context_type, CONTEXT_AGENT_MEMORY, "value"), \
    F_ENUM(struct context, scope, 0, context_scope, CONTEXT_OF_AGENT, "scope"), \
    F_UUID(struct context, agent_id, FIELD_NULLABLE, "agent it is about"), \
    F_UUID(struct context, owner_agent_id, FIELD_NULLABLE, "agent that owns it"), \
    F_UUID(struct context, team_id, FIELD_NULLABLE, "team with write access"), \
    F_UUID(struct context, created_by_user_id, FIELD_NULLABLE, "user who created it"), \
    F_ENUM(struct context, status, 0, space_status, SPACE_ACTIVE, "status; archived: read-only and left out of recall"), \
    F_ENUM(struct context, access, 0, access_level, ACCESS_READ, "access level of the caller"), \
    F_OBJECT(struct context, context_data, 0, CONTEXT_DATA, "data of its users"), \
    F_OBJECT(struct context, metadata, 0, CONTEXT_DATA, "metadata for programs"), \
    F_OBJECT(struct context, retention_policy, 0, CONTEXT_DATA, "limits, lifetime and eviction"), \
    F_INT(struct context, entry_count, 0, 0, CONTEXT_COUNT_MAX, 0, "live entries"), \
    F_INT(struct context, data_size_bytes, 0, 0, CONTEXT_COUNT_MAX, 0, "bytes of their content"), \
    F_INT(struct context, access_count, 0, 0, CONTEXT_COUNT_MAX, 0, "number of reads and searches, up to the last second"), \
    F_INT(struct context, version, 0, 1, CONTEXT_COUNT_MAX, 1, "version of the context itself; the ETag"), \
    F_TIME(struct context, created_at, 0, "when it was created"), \
    F_TIME(struct context, updated_at, 0, "when the context itself was last changed"), \
    F_TIME(struct context, last_modified_at, 0, "when it or one of its entries was last changed"), \
    F_TIME(struct context, last_accessed_at, FIELD_NULLABLE, "time of the last read or search"), \
    F_TIME(struct context, archived_at, FIELD_NULLABLE, "when it was archived"), \
    F_TIME(struct context, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this")

static const struct field ROW_OUT[] = {
    ROW,
    F_END
};

static const struct field CONTEXT_OUT[] = {
    ROW,
    F_OBJECT(struct context, access_control, FIELD_NULLABLE, 1e6,
             "access control; null unless the caller may manage it"),
    F_STR(struct context, shared_with, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "the same as text"),
    F_END
};

#define ACCESS_HELP \
    "read, write, agents, users: lists of ids; public_read, public: true or false; the highest level counts"
#define RETENTION_HELP \
    "max_entries, max_size_bytes, max_age_days, ttl_seconds, archive_before_delete, eviction (relevance, lru, oldest, reject), rot, dedup"

/* ---- create */

static const struct field CREATE_IN[] = {
    F_STR(struct context_new, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct context_new, description, 0, 0, LIMIT_DESCRIPTION, "purpose"),
    F_ENUM(struct context_new, context_type, 0, context_type, CONTEXT_AGENT_MEMORY, "type of content"),
    F_ENUM(struct context_new, scope, 0, context_scope, CONTEXT_OF_AGENT, "agent: for one agent; team: its members can write; account: "
                                                                          "everyone can read; global: everyone can read and context.manage "
                                                                          "can write"),
    F_UUID(struct context_new, agent_id, FIELD_NULLABLE, "agent it is about, which becomes its owner; default for agents: the caller"),
    F_UUID(struct context_new, team_id, FIELD_NULLABLE, "team with write access"),
    F_OBJECT(struct context_new, context_data, 0, CONTEXT_DATA, "data of its users"),
    F_OBJECT(struct context_new, metadata, 0, CONTEXT_DATA, "metadata for programs"),
    F_OBJECT(struct context_new, retention_policy, 0, CONTEXT_DATA, RETENTION_HELP),
    F_OBJECT(struct context_new, access_control, FIELD_NULLABLE, 1e6, ACCESS_HELP),
    F_TIME(struct context_new, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this"),
    F_END
};

OP_CALL(CONTEXT_CREATE, struct context_new, struct context, context_create(c, in, out),
        .name = "context.create", .method = "POST", .path = CONTEXTS_PATH, CONTEXT_TAG,
        .summary = "Creates a context: a named collection of entries.",
        .help = "The creator can manage it: an agent as its owner, a user by a grant. The author of its entries is always the caller.",
        .perm = PERM_CONTEXT_CREATE, .flags = OP_CREATES | OP_ETAG,
        OP_IN(CREATE_IN, struct context_new), OP_OUT(CONTEXT_OUT, struct context));

/* ---- read */

static const struct field LIST_IN[] = {
    F_ENUM(struct context_filter, type, FIELD_NULLABLE, context_type, -1, "only contexts of this type"),
    F_ENUM(struct context_filter, scope, FIELD_NULLABLE, context_scope, -1, "only contexts with this scope"),
    F_UUID(struct context_filter, agent_id, FIELD_NULLABLE, "only contexts about this agent"),
    F_STR(struct context_filter, q, 0, 0, LIMIT_NAME, "part of the name"),
    F_BOOL(struct context_filter, include_archived, 0, false, "include archived ones"),
    F_PAGE(struct context_filter),
    F_END
};

OP_CALL(CONTEXT_LIST, struct context_filter, struct page, context_list(c, in, out),
        .name = "context.list", .method = "GET", .path = CONTEXTS_PATH, .tool = "list_contexts", CONTEXT_TAG,
        .summary = "Lists the contexts that the caller can read, newest first.",
        .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct context_filter), OP_OUT(ROW_OUT, struct context));

struct ref_in {
    const char *id;
    int64_t if_version;
};

static const struct field REF_IN[] = {
    F_CONTEXT(struct ref_in),
    F_END
};

static const struct field MATCH_IN[] = {
    F_CONTEXT(struct ref_in),
    F_IF_VERSION(struct ref_in),
    F_END
};

static err context_call_get(struct ctx *c, const void *in, void *out)
{
    const struct context *x = out;

    TRY(context_get(c, ((const struct ref_in *)in)->id, out));
    access_log_read(c, &(struct access_read){.action = LOGGED_READ, .context_id = x->id});
    return ERR_OK;
}

static const struct op CONTEXT_READ = {
    .name = "context.read", .method = "GET", .path = CONTEXTS_PATH "/:id", CONTEXT_TAG,
    .summary = "Returns a context.",
    .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
    OP_IN(REF_IN, struct ref_in), OP_OUT(CONTEXT_OUT, struct context), .run = context_call_get,
};

static const struct field COUNT_OUT[] = {
    F_STR(struct context_count, name, 0, 0, 32, "type"),
    F_INT(struct context_count, n, 0, 0, CONTEXT_COUNT_MAX, 0, "live entries of this type"),
    F_END
};

const struct field CONTEXT_STATS_OUT[] = {
    F_UUID(struct context_stats, id, 0, "id of the context"),
    F_INT(struct context_stats, entry_count, 0, 0, CONTEXT_COUNT_MAX, 0, "live entries"),
    F_INT(struct context_stats, archived_count, 0, 0, CONTEXT_COUNT_MAX, 0, "archived entries"),
    F_INT(struct context_stats, version_count, 0, 0, CONTEXT_COUNT_MAX, 0, "old versions kept"),
    F_INT(struct context_stats, data_size_bytes, 0, 0, CONTEXT_COUNT_MAX, 0, "bytes of content of the live entries"),
    F_NUM(struct context_stats, average_importance, 0, 0, 1, 0, "average current importance of the live entries"),
    F_NUM(struct context_stats, average_confidence, 0, 0, 1, 0, "likewise"),
    F_INT(struct context_stats, high_importance, 0, 0, CONTEXT_COUNT_MAX, 0, "live entries with importance 0.7 and more"),
    F_INT(struct context_stats, low_importance, 0, 0, CONTEXT_COUNT_MAX, 0, "live entries with importance below 0.3"),
    F_INT(struct context_stats, high_confidence, 0, 0, CONTEXT_COUNT_MAX, 0, "live entries with confidence 0.8 and more"),
    F_NUM(struct context_stats, fill_entries, 0, 0, 1e9, 0, "live entries in percent of the limit"),
    F_NUM(struct context_stats, fill_bytes, 0, 0, 1e9, 0, "bytes in percent of the limit"),
    F_LIST(struct context_stats, by_entry_type, 0, 32, COUNT_OUT, struct context_count, "live entries by entry_type"),
    F_LIST(struct context_stats, by_memory_type, 0, 32, COUNT_OUT, struct context_count, "live entries by memory_type"),
    F_END
};

OP_CALL(CONTEXT_STATS, struct ref_in, struct context_stats, context_stats(c, in->id, out),
        .name = "context.stats", .method = "GET", .path = CONTEXTS_PATH "/:id/stats", CONTEXT_TAG,
        .summary = "Returns counts of a context and how full it is.",
        .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_IN(REF_IN, struct ref_in), OP_OUT(CONTEXT_STATS_OUT, struct context_stats));

/* ---- change */

struct update_in {
    struct given given;
    const char *id, *name, *description;
    int64_t if_version;
    const struct json *context_data, *metadata, *retention_policy, *access_control;
    struct instant expires_at;
};

static const struct field UPDATE_IN[] = {
    F_CONTEXT(struct update_in),
    F_IF_VERSION(struct update_in),
    F_STR(struct update_in, name, 0, 1, LIMIT_NAME, "display name"),
    F_STR(struct update_in, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_OBJECT(struct update_in, context_data, 0, CONTEXT_DATA, "merged into context_data (RFC 7396)"),
    F_OBJECT(struct update_in, metadata, 0, CONTEXT_DATA, "merged into metadata (RFC 7396)"),
    F_OBJECT(struct update_in, retention_policy, FIELD_NULLABLE, CONTEXT_DATA, RETENTION_HELP),
    F_OBJECT(struct update_in, access_control, 0, 1e6, ACCESS_HELP ". Omitted members are reset"),
    F_TIME(struct update_in, expires_at, FIELD_NULLABLE, "expiry time; null: never expires"),
    F_END
};

static err context_call_update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct context_patch p = {
        .if_version = i->if_version, .name = i->name, .description = i->description,
        .context_data = i->context_data, .metadata = i->metadata, .retention_policy = i->retention_policy,
        .access_control = i->access_control, .expires_at = i->expires_at};

    p.set = (given(i, name) ? CONTEXT_SET_NAME : 0) | (given(i, description) ? CONTEXT_SET_DESCRIPTION : 0) |
            (given(i, context_data) ? CONTEXT_SET_DATA : 0) | (given(i, metadata) ? CONTEXT_SET_METADATA : 0) |
            (given(i, retention_policy) ? CONTEXT_SET_RETENTION : 0) | (given(i, access_control) ? CONTEXT_SET_ACCESS : 0) |
            (given(i, expires_at) ? CONTEXT_SET_EXPIRES : 0);
    return context_update(c, i->id, &p, out);
}

static const struct op CONTEXT_UPDATE = {
    .name = "context.update", .method = "PATCH", .path = CONTEXTS_PATH "/:id", CONTEXT_TAG,
    .summary = "Changes a context.", .help = "Requires the level manage. Omitted fields stay unchanged.",
    .perm = PERM_CONTEXT_UPDATE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(CONTEXT_OUT, struct context), .run = context_call_update,
};

OP_CALL(CONTEXT_ARCHIVE, struct ref_in, struct context, context_archive(c, in->id, true, in->if_version, out),
        .name = "context.archive", .method = "POST", .path = CONTEXTS_PATH "/:id/archive", CONTEXT_TAG,
        .summary = "Archives a context: it becomes read-only and is left out of recall.", .help = "Requires the level manage.",
        .perm = PERM_CONTEXT_UPDATE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH,
        OP_IN(MATCH_IN, struct ref_in), OP_OUT(CONTEXT_OUT, struct context));

OP_CALL(CONTEXT_UNARCHIVE, struct ref_in, struct context, context_archive(c, in->id, false, in->if_version, out),
        .name = "context.unarchive", .method = "POST", .path = CONTEXTS_PATH "/:id/unarchive", CONTEXT_TAG,
        .summary = "Unarchives a context.", .help = "Requires the level manage.",
        .perm = PERM_CONTEXT_UPDATE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH,
        OP_IN(MATCH_IN, struct ref_in), OP_OUT(CONTEXT_OUT, struct context));

OP_CALL(CONTEXT_DELETE, struct ref_in, void, context_delete(c, in->id, in->if_version),
        .name = "context.delete", .method = "DELETE", .path = CONTEXTS_PATH "/:id", CONTEXT_TAG,
        .summary = "Deletes a context with its entries.",
        .help = "Requires the level manage. POST /api/v1/spaces/:id/restore restores it within 30 days.",
        .perm = PERM_CONTEXT_DELETE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
        OP_IN(MATCH_IN, struct ref_in));

const struct op *const context_calls_table[] = {&CONTEXT_CREATE, &CONTEXT_LIST, &CONTEXT_READ, &CONTEXT_STATS, &CONTEXT_UPDATE, &CONTEXT_ARCHIVE,
                                                &CONTEXT_UNARCHIVE, &CONTEXT_DELETE, NULL};
