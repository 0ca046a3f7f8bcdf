/* How much is kept in each tier of memory: of an agent, or of the whole account. */
#ifndef LOCI_MEMORY_STATS_H
#define LOCI_MEMORY_STATS_H

#include "ctx.h"
#include "list.h"

#define MEMORY_TYPES 16 /* of one tier */

struct memory_type_stats {
    const char *name;
    int64_t count, bytes;
};

struct memory_tier_stats {
    int64_t count, bytes;
    struct list by_type; /* of struct memory_type_stats, most first */
};

struct memory_stats {
    struct uuid agent_id;                           /* nil: the account */
    const struct memory_tier_stats *working_memory; /* NULL: Redis is away */
    const struct memory_tier_stats *short_term, *long_term, *shared;
};

/* agent_id nil: the whole account, for which the caller needs memory.manage. Else asks the gate about the agent; shared is then what
 * the caller may read, and long_term the agent's own contexts. */
err memory_stats(struct ctx *c, struct uuid agent_id, struct memory_stats *out);

#endif
