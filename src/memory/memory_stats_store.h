/* SQL and Redis commands of the figures; only memory_stats.c includes this. */
#ifndef LOCI_MEMORY_STATS_STORE_H
#define LOCI_MEMORY_STATS_STORE_H

#include "memory_stats.h"

/* agent nil, everywhere: the account. rows has room for MEMORY_TYPES. */
err memory_stats_store_short_term(struct ctx *c, struct uuid agent, struct memory_type_stats *rows, size_t *n);
err memory_stats_store_long_term(struct ctx *c, struct uuid agent, struct memory_type_stats *rows, size_t *n);
/* readable: only what the caller may read; else the account's. */
err memory_stats_store_shared(struct ctx *c, bool readable, struct memory_type_stats *rows, size_t *n);

/* Agents above `above`, ascending. */
err memory_stats_store_agents(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Live keys of working memory of these agents, added to rows. ERR_UNAVAILABLE: Redis is away. */
err memory_stats_store_working(struct ctx *c, const struct uuid *agents, size_t n_agents, struct memory_type_stats *rows, size_t *n);

#endif
