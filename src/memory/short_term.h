/* Short-term memory: what an agent keeps for hours, by key, in a table; what is used becomes long-term memory. */
#ifndef LOCI_SHORT_TERM_H
#define LOCI_SHORT_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"

#define SHORT_TERM_KEY 255            /* characters */
#define SHORT_TERM_VALUE (256 * 1024) /* bytes of JSON */
#define SHORT_TERM_TAGS 32
#define SHORT_TERM_TAG 64 /* characters */
#define SHORT_TERM_TTL 3600
#define SHORT_TERM_TTL_MIN 60
#define SHORT_TERM_TTL_MAX 604800
#define SHORT_TERM_DAYS 30    /* after its creation no refresh keeps it alive */
#define SHORT_TERM_ROWS 20000 /* live ones of an agent */
#define SHORT_TERM_USES 3     /* reads that make it worth remembering */
#define SHORT_TERM_SESSION "default"

#define SHORT_TERM_TYPE(X) \
    X(SHORT_TASK_CONTEXT, "task_context") X(SHORT_CONVERSATION, "conversation") X(SHORT_TOOL_RESULT, "tool_result") \
    X(SHORT_REFLECTION, "reflection") X(SHORT_OBSERVATION, "observation")
ENUMX_DECLARE(short_term_type, SHORT_TERM_TYPE);

#define PROMOTE_STATE(X) \
    X(PROMOTE_NONE, "none") X(PROMOTE_QUEUED, "queued") X(PROMOTE_PROMOTED, "promoted") X(PROMOTE_DUPLICATE, "duplicate") \
    X(PROMOTE_FAILED, "failed")
ENUMX_DECLARE(promote_state, PROMOTE_STATE);

struct short_term {
    struct uuid id, agent_id;
    const char *session_id, *memory_key;
    const struct json *memory_value;
    enum short_term_type memory_type;
    struct strs tags;
    int64_t ttl_seconds;
    struct instant expires_at;
    int64_t access_count;
    struct instant last_accessed_at;
    int64_t version;
    struct bytes content_hash;
    enum promote_state promote_state;
    int64_t promote_attempts;
    const char *promote_error;
    struct uuid promoted_node_id;
    struct instant created_at, updated_at;
};

struct short_term_key {
    struct uuid agent_id;
    const char *session_id; /* NULL: SHORT_TERM_SESSION */
    const char *key;
};

struct short_term_new {
    struct short_term_key at;
    const struct json *value;
    enum short_term_type type;
    struct strs tags;
    int64_t ttl_s; /* 0: SHORT_TERM_TTL */
};

struct short_term_filter {
    struct uuid agent_id;
    const char *session_id, *q; /* q: part of the key */
    int type;                   /* an enum's value, or -1: any */
    int64_t limit;
    const char *cursor;
};

/* Each asks the gate about the agent itself. What has expired is not there, whether cleaned up or not. */

/* Written again it is one version more with a new time to live; its uses stay, and new content may be promoted again. */
err short_term_write(struct ctx *c, const struct short_term_new *in, struct short_term *out);
/* A use, unless peek: the third one promises its promotion (struct app.promote_later) in the same transaction. */
err short_term_read(struct ctx *c, const struct short_term_key *at, bool peek, bool *found, struct short_term *out);
err short_term_remove(struct ctx *c, const struct short_term_key *at, bool *was_there);
err short_term_list(struct ctx *c, const struct short_term_filter *f, struct page *out);
/* Live rows of an agent, of one session or of all. */
struct short_term_count {
    struct uuid agent_id;
    const char *session_id; /* NULL: of all */
    int64_t rows, queued;   /* queued: for promotion */
    struct instant next_expiry, last_write;
};
/* Of the agent's sessions, the one written to last first; at most SHORT_TERM_SESSIONS. */
#define SHORT_TERM_SESSIONS 50
err short_term_sessions(struct ctx *c, struct uuid agent_id, struct short_term_count **rows, size_t *n);
/* Of each of these agents; those that have none are missing. For who holds memory.manage. */
err short_term_counts(struct ctx *c, const struct uuid *agents, size_t n, struct short_term_count **rows, size_t *found);

/* Its time to live begins anew. */
err short_term_refresh(struct ctx *c, struct uuid agent_id, struct uuid id, struct short_term *out);

#endif
