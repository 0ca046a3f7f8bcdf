/* What the operations over the tiers share. */
#ifndef LOCI_TIERED_CALLS_H
#define LOCI_TIERED_CALLS_H

#include "op.h"
#include "working.h"

#define TIERED_TAG .tag = "tiered memory"
#define TIERED_PATH "/api/v1/ai/agents/:agent_id/tiered_memory"
#define COUNT_MAX 9e15

#define F_AGENT(s) F_UUID(s, agent_id, 0, "agent whose memory is used; default in a tool: the caller's own")
#define F_SESSION(s) F_STR(s, session_id, FIELD_RAW, 1, WORKING_ID, "session; default: none in working memory, `default` in short-term memory")

#endif
