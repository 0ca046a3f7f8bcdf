/* What a caller may be allowed to do: one list of area.action strings, kept as bits. */
#ifndef LOCI_PERMISSION_H
#define LOCI_PERMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "enumx.h"
#include "list.h"

/* Which role has which is in the table role_permission: sql/0001-ground.sql for the built-in ones. */
#define PERMISSION(X) \
    X(PERM_NONE, "") \
    X(PERM_MEMORY_READ, "memory.read") \
    X(PERM_MEMORY_WRITE, "memory.write") \
    X(PERM_MEMORY_MANAGE, "memory.manage") \
    X(PERM_MEMORY_REVIEW, "memory.review") \
    X(PERM_POOLS_MANAGE, "pools.manage") \
    X(PERM_CONTEXT_READ, "context.read") \
    X(PERM_CONTEXT_CREATE, "context.create") \
    X(PERM_CONTEXT_UPDATE, "context.update") \
    X(PERM_CONTEXT_DELETE, "context.delete") \
    X(PERM_CONTEXT_EXPORT, "context.export") \
    X(PERM_CONTEXT_IMPORT, "context.import") \
    X(PERM_CONTEXT_MANAGE, "context.manage") \
    X(PERM_RAG_READ, "rag.read") \
    X(PERM_RAG_WRITE, "rag.write") \
    X(PERM_RAG_MANAGE, "rag.manage") \
    X(PERM_GRAPH_READ, "graph.read") \
    X(PERM_GRAPH_WRITE, "graph.write") \
    X(PERM_BELIEF_READ, "belief.read") \
    X(PERM_BELIEF_WRITE, "belief.write") \
    X(PERM_BELIEF_REVIEW, "belief.review") \
    X(PERM_POLICY_READ, "policy.read") \
    X(PERM_POLICY_WRITE, "policy.write") \
    X(PERM_SKILLS_READ, "skills.read") \
    X(PERM_SKILLS_WRITE, "skills.write") \
    X(PERM_SKILLS_MANAGE, "skills.manage") \
    X(PERM_CONTENT_READ, "content.read") \
    X(PERM_CONTENT_WRITE, "content.write") \
    X(PERM_CONTENT_MANAGE, "content.manage") \
    X(PERM_OVERSIGHT_READ, "oversight.read") \
    X(PERM_OVERSIGHT_WRITE, "oversight.write") \
    X(PERM_OVERSIGHT_MANAGE, "oversight.manage") \
    X(PERM_JOBS_READ, "jobs.read") \
    X(PERM_JOBS_RUN, "jobs.run") \
    X(PERM_JOBS_MANAGE, "jobs.manage") \
    X(PERM_ADMIN_ACCESS, "admin.access") \
    X(PERM_ACCOUNT_MANAGE, "account.manage") \
    X(PERM_ACCOUNT_READ, "account.read") \
    X(PERM_AUDIT_READ, "audit.read") \
    X(PERM_EXPORT_RUN, "export.run") \
    X(PERM_ERASE_RUN, "erase.run") \
    X(PERM_OVERSIGHT_REVIEW, "oversight.review") \
    X(PERM_SKILLS_USE, "skills.use") \
    X(PERM_SKILLS_REVIEW, "skills.review") \
    X(PERM_CONTENT_PUBLISH, "content.publish") \
    X(PERM_POLICY_MANAGE, "policy.manage") \
    X(PERM_GRAPH_MANAGE, "graph.manage")
ENUMX_DECLARE(permission, PERMISSION);

typedef uint64_t permissions; /* bit n: enum permission n */

static inline bool permissions_have(permissions set, enum permission p)
{
    return p == PERM_NONE || (set >> p & 1);
}

static inline permissions permissions_add(permissions set, enum permission p)
{
    return set | (permissions)1 << p;
}

/* Every permission there is. */
permissions permissions_all(void);
/* Scope strings as a set: "memory.read", "memory.*" or "*". false: *bad is the position of the first that means nothing. */
bool permissions_parse(struct strs scopes, permissions *out, size_t *bad);
/* The set as strings, in the order of the list above. */
struct strs permissions_strs(struct arena *a, permissions set);

#endif
