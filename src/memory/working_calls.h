/* What the operations of working memory share. */
#ifndef LOCI_WORKING_CALLS_H
#define LOCI_WORKING_CALLS_H

#include "op.h"
#include "subject.h"
#include "working.h"

#define WORKING_TAG .tag = "working memory"
#define WORKING_PATH "/api/v1/ai/agents/:agent_id/working_memory"

/* Which agent and which part of its mind; in the query string, whatever the method. */
struct scope_in {
    struct uuid agent_id;
    const char *session_id, *run_id, *task_id;
};

#define F_SCOPE(s) \
    F_UUID(s, agent_id, 0, "agent whose memory is used; default in a tool: the caller's own"), \
    F_STR(s, session_id, FIELD_QUERY | FIELD_RAW, 1, WORKING_ID, "session"), \
    F_STR(s, run_id, FIELD_QUERY | FIELD_RAW, 1, WORKING_ID, "workflow run"), \
    F_STR(s, task_id, FIELD_QUERY | FIELD_RAW, 1, WORKING_ID, "task")

#define SCOPE(i) ((struct working_scope){ subject_of(c, (i)->agent_id), (i)->session_id, (i)->run_id, (i)->task_id })

#define F_KEY(s) F_STR(s, key, FIELD_REQUIRED | FIELD_RAW, 1, WORKING_KEY, "key")
#define F_VALUE(s) F_JSON(s, value, FIELD_REQUIRED, WORKING_VALUE, "any JSON, null too; at most 262144 bytes")
#define F_TTL(s) F_INT(s, ttl, 0, 1, WORKING_TTL_MAX, 0, \
                       "seconds to live; default: 7200 for task_state, 14400 for conversation_context, else 3600")
#define F_IF_ABSENT(s) F_BOOL(s, if_absent, 0, false, "do not overwrite an existing value")

extern const struct field WORKING_STORED_OUT[];

#endif
