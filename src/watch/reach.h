/* Whose goals and observations a caller may see and change: an agent its own and those of teams it leads; people all. */
#ifndef LOCI_REACH_H
#define LOCI_REACH_H

#include "ctx.h"
#include "list.h"

#define WATCH_REACH 1000 /* agents that one agent leads */

struct watch_reach {
    bool all;
    struct uuids agents; /* unless all */
};
err watch_reach(struct ctx *c, struct watch_reach *out);
bool watch_reaches(const struct watch_reach *r, struct uuid agent_id);
/* The agent that is meant: the caller where none is named. ERR_NOT_FOUND: none, or out of reach. */
err watch_agent(struct ctx *c, struct uuid wanted, struct uuid *agent_id);
/* Inside a transaction: whoever else changes what this agent has at most so many of waits. */
err watch_lock_agent(struct ctx *c, struct uuid agent_id);

#endif
