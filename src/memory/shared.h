/* The shared tier as the router knows it: a key in the pools that are an agent's business, then shared knowledge by its title. */
#ifndef LOCI_SHARED_H
#define LOCI_SHARED_H

#include "pool_data.h"

struct shared_at {
    struct uuid agent_id;
    const char *run_id, *task_id; /* whose pools are asked, too; NULL: of none */
    const char *pool_id;          /* pool_id or UUID: only there; NULL: reading asks in turn, writing means the pool `default` */
    const char *key;
};

struct shared_found {
    bool found;
    const struct json *value;
    struct uuid id; /* of its node; nil: keys below it make it up */
    int64_t version;
};

/* In turn: the private pool of the agent, pools of the task, of the run, of teams, `default`, shared knowledge with exactly this
 * title; of these what the caller may read. A use, unless peek. Each asks the gate about the agent. */
err shared_find(struct ctx *c, const struct shared_at *at, bool peek, struct shared_found *out);
/* tags: of a value that is a row of its own. */
err shared_put(struct ctx *c, const struct shared_at *at, const struct json *value, int64_t ttl_seconds, struct strs tags,
               struct pool_written *out);
err shared_cut(struct ctx *c, const struct shared_at *at, bool *was_there);

#endif
