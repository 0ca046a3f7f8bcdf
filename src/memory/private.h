/* What an agent keeps for itself by key: the pool `private.<agent id>`, made at first use, which nobody else can read. */
#ifndef LOCI_PRIVATE_H
#define LOCI_PRIVATE_H

#include "pool_data.h"

#define PRIVATE_KEYS 500      /* beyond, the least recently used go */
#define PRIVATE_RECALLED 0.05 /* what matters less is not recalled */
#define REFLECT_SECONDS 900   /* once in so long */
#define REFLECT_KEYS 10       /* of one reflection */
#define REFLECT_USES 2        /* of a key that is worth it */

/* agent_id nil, everywhere: the calling agent. Each call asks the gate about the agent. */
struct private_new {
    struct uuid agent_id;
    const char *key;
    const struct json *value;
    int64_t ttl_seconds; /* 0: for good */
    double importance;   /* negative: 0.5, or as it is where the key is there */
    struct strs tags;    /* v NULL: as they are */
    bool force;          /* even what the caller was just shown; needs memory.manage */
};

struct private_kept {
    bool stored;
    const char *reason; /* "echo": it was not stored */
    struct uuid of;
    double echo_ratio;
    const char *key;
    int64_t version;
    double importance_score;
    struct instant expires_at;
    struct strs evicted;
};
/* A key that is there gets the value whatever it is: only what creates memory can be an echo. */
err private_remember(struct ctx *c, const struct private_new *in, struct private_kept *out);

struct private_query {
    struct uuid agent_id;
    const char *query;
    bool include_team; /* also the pools of type team_shared that the caller can read */
    int64_t limit;
};
err private_recall(struct ctx *c, const struct private_query *in, struct pool_hits *out);

struct private_forgotten {
    bool forgotten;          /* was it there */
    double importance_score; /* soft: what is left of it */
};
/* soft: it matters a tenth of what it did, and goes by itself when room is needed. */
err private_forget(struct ctx *c, struct uuid agent_id, const char *key, bool soft, struct private_forgotten *out);

struct private_reflected {
    bool written;   /* false: no key was used enough */
    struct uuid id; /* the entry */
    const char *entry_key, *text;
    struct strs keys;
    int64_t promoted, duplicates, failed; /* short-term rows that were due */
};
/* ERR_RATE when it was done less than REFLECT_SECONDS ago. */
err private_reflect(struct ctx *c, struct uuid agent_id, struct private_reflected *out);

#endif
