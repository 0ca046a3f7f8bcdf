/* Figures of the tiers; see memory_stats.h. */
#include "memory_stats.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "memory_stats_store.h"
#include "private_impl.h"

#define AGENTS_AT_ONCE 100 /* asked of Redis by one script */

static int by_count(const void *a, const void *b)
{
    const struct memory_type_stats *x = a, *y = b;

    return x->count != y->count ? (x->count > y->count ? -1 : 1) : strcmp(x->name, y->name);
}

static const struct memory_tier_stats *memory_stats_tier_of(struct ctx *c, struct memory_type_stats *rows, size_t n)
{
    struct memory_tier_stats *t = ARENA_NEW(c->arena, struct memory_tier_stats);

    qsort(rows, n, sizeof *rows, by_count);
    for (size_t i = 0; i < n; i++) {
        t->count += rows[i].count;
        t->bytes += rows[i].bytes;
    }
    t->by_type = (struct list){rows, n};
    return t;
}

static struct memory_type_stats *memory_stats_room(struct ctx *c)
{
    return ARENA_ARRAY(c->arena, struct memory_type_stats, MEMORY_TYPES);
}

static err count_working(struct ctx *c, struct uuid agent, struct memory_type_stats *rows, size_t *n)
{
    struct uuid ids[AGENTS_AT_ONCE], above = {0};
    size_t k = 0;

    *n = 0;
    if (!uuid_is_nil(agent))
        return memory_stats_store_working(c, &agent, 1, rows, n);
    do {
        TRY(memory_stats_store_agents(c, above, ids, AGENTS_AT_ONCE, &k));
        if (!k)
            return ERR_OK;
        TRY(memory_stats_store_working(c, ids, k, rows, n));
        above = ids[k - 1];
    } while (k == AGENTS_AT_ONCE);
    return ERR_OK;
}

static err working(struct ctx *c, struct uuid agent, struct memory_stats *out)
{
    struct memory_type_stats *rows = memory_stats_room(c);
    size_t n;
    err e = count_working(c, agent, rows, &n);

    if (e == ERR_UNAVAILABLE) { /* Redis is away: what is in MariaDB is counted */
        ctx_forgive(c);
        return ERR_OK;
    }
    TRY(e);
    out->working_memory = memory_stats_tier_of(c, rows, n);
    return ERR_OK;
}

err memory_stats(struct ctx *c, struct uuid agent_id, struct memory_stats *out)
{
    bool of_account = uuid_is_nil(agent_id), has_pool;
    struct memory_type_stats *rows;
    struct uuid pool;
    size_t n;

    *out = (struct memory_stats){.agent_id = agent_id};
    TRY(of_account ? access_permit(c, PERM_MEMORY_MANAGE) : subject_require(c, agent_id, ACCESS_READ));
    if (!of_account)
        TRY(private_pool_there(c, agent_id, &has_pool, &pool));
    TRY(working(c, agent_id, out));
    TRY(memory_stats_store_short_term(c, agent_id, rows = memory_stats_room(c), &n));
    out->short_term = memory_stats_tier_of(c, rows, n);
    TRY(memory_stats_store_long_term(c, agent_id, rows = memory_stats_room(c), &n));
    out->long_term = memory_stats_tier_of(c, rows, n);
    TRY(memory_stats_store_shared(c, !of_account, rows = memory_stats_room(c), &n));
    out->shared = memory_stats_tier_of(c, rows, n);
    return ERR_OK;
}
