/* Contexts: spaces that hold entries, with what is said about them. */
#ifndef LOCI_CONTEXT_H
#define LOCI_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "space.h"

#define CONTEXT_DATA (64 * 1024)  /* bytes of context_data, and of metadata */
#define CONTEXT_ENTRIES 200000    /* live entries of one context */
#define CONTEXT_BYTES 10000000000 /* of their content */
#define CONTEXTS 2000             /* of an account */
#define CONTEXT_HANDLE 150

#define CONTEXT_TYPE(X) \
    X(CONTEXT_AGENT_MEMORY, "agent_memory") X(CONTEXT_KNOWLEDGE_BASE, "knowledge_base") X(CONTEXT_SHARED, "shared_context") \
    X(CONTEXT_TOOL_CACHE, "tool_cache") X(CONTEXT_PROJECT, "project_context")
ENUMX_DECLARE(context_type, CONTEXT_TYPE);

#define CONTEXT_SCOPE(X) \
    X(CONTEXT_OF_AGENT, "agent") X(CONTEXT_OF_ACCOUNT, "account") X(CONTEXT_OF_TEAM, "team") X(CONTEXT_OF_ALL, "global")
ENUMX_DECLARE(context_scope, CONTEXT_SCOPE);

struct context {
    struct uuid id;
    const char *context_id; /* its handle: paths take it in the place of the id */
    const char *name, *description;
    enum context_type context_type;
    enum context_scope scope;
    struct uuid agent_id, owner_agent_id, team_id, created_by_user_id;
    const struct json *context_data, *metadata, *retention_policy;
    const struct json *access_control; /* NULL for who may not manage it */
    const char *shared_with;           /* the same in words */
    enum space_status status;
    enum access_level access; /* what the caller may do here */
    int64_t entry_count, data_size_bytes, access_count, version;
    struct instant created_at, updated_at, last_modified_at, last_accessed_at, archived_at, expires_at;
    struct uuid restoring_id, restoring_safety_id; /* the snapshot that is being restored, and the one taken before that; nil: none */
    struct instant restoring_until;                /* at the latest */
};

struct context_new {
    const char *name, *description;
    enum context_type context_type;
    enum context_scope scope;
    struct uuid agent_id, team_id;
    const struct json *context_data, *metadata, *retention_policy, *access_control;
    struct instant expires_at;
};

/* Bits of context_patch.set. */
#define CONTEXT_SET_NAME 1u
#define CONTEXT_SET_DESCRIPTION 2u
#define CONTEXT_SET_DATA 4u     /* merged: RFC 7396 */
#define CONTEXT_SET_METADATA 8u /* likewise */
#define CONTEXT_SET_RETENTION 16u
#define CONTEXT_SET_ACCESS 32u
#define CONTEXT_SET_EXPIRES 64u

struct context_patch {
    unsigned set;
    int64_t if_version; /* 0 or less: any */
    const char *name, *description;
    const struct json *context_data, *metadata, *retention_policy, *access_control;
    struct instant expires_at;
};

struct context_filter {
    int type, scope;      /* an enum's value, or -1: any */
    struct uuid agent_id; /* nil: any */
    const char *q;        /* part of the name */
    bool include_archived;
    int64_t limit;
    const char *cursor;
};

struct context_count {
    const char *name; /* an entry_type, memory_type or status */
    int64_t n;
};
struct context_stats {
    struct uuid id;
    int64_t entry_count, archived_count, data_size_bytes, version_count;
    int64_t high_importance, low_importance, high_confidence;
    double average_importance, average_confidence; /* of live entries, as it is now; 0 without any */
    double fill_entries, fill_bytes;               /* of what the retention policy allows */
    struct list by_entry_type, by_memory_type;     /* of struct context_count */
};

/* ref: the id or the handle. Each asks the gate; what may not be read is not there. Changing one needs the level manage. */
err context_create(struct ctx *c, const struct context_new *in, struct context *out);
err context_get(struct ctx *c, const char *ref, struct context *out);
err context_list(struct ctx *c, const struct context_filter *f, struct page *out);
err context_update(struct ctx *c, const char *ref, const struct context_patch *p, struct context *out);
err context_archive(struct ctx *c, const char *ref, bool archived, int64_t if_version, struct context *out);
/* With its entries; space_restore brings it back. */
err context_delete(struct ctx *c, const char *ref, int64_t if_version);
err context_stats(struct ctx *c, const char *ref, struct context_stats *out);

/* The contexts that an agent gets at first use; their owner alone sees them. */
#define DEFAULT_CONTEXT(X) \
    X(CONTEXT_WORKING, "Working Memory") X(CONTEXT_LONG_TERM, "Long-Term Memory") X(CONTEXT_EXPERIENTIAL, "Experiential Memory") \
    X(CONTEXT_FACTUAL, "Factual Memory")
ENUMX_DECLARE(default_context, DEFAULT_CONTEXT);

/* Its handle is this and so many hex digits: nobody may choose one like it. */
#define CONTEXT_DERIVED "mem_"
#define CONTEXT_DERIVED_HEX 24

/* The handle that it has, or will have. */
const char *context_default_handle(struct ctx *c, struct uuid agent_id, enum default_context which);
/* "<agent> Long-Term Memory" and its like: found, or made. Past the gate: the caller of this has asked whether it may speak for
 * the agent; from here on this request may write to it. Two at once make one. */
err context_ensure(struct ctx *c, struct uuid agent_id, enum default_context which, struct context *out);

#endif
