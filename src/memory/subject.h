/* Whose memory a call is about: an agent named in a path is the subject, never the author. */
#ifndef LOCI_SUBJECT_H
#define LOCI_SUBJECT_H

#include "access.h"

/* May the caller read or write what this agent remembers? The agent itself may; others need that level on its namespace,
 * or memory.manage, which the audit trail keeps. ERR_NOT_FOUND as for an agent that does not exist. */
err subject_require(struct ctx *c, struct uuid agent_id, enum access_level level);
/* A call may leave the agent out (nil): then it is the calling agent. A user stays nameless, which the gate refuses: ERR_INVALID. */
struct uuid subject_of(const struct ctx *c, struct uuid agent_id);
/* Both. */
err subject_or_self(struct ctx *c, struct uuid agent_id, enum access_level level, struct uuid *out);

#endif
