/* Factual memory: what an agent holds to be so, by key, in "<agent> Factual Memory". */
#ifndef LOCI_AGENT_FACT_H
#define LOCI_AGENT_FACT_H

#include "entry.h"
#include "entry_search.h"

#define FACTS_AT_ONCE 500 /* of one batch */
#define FACTS_CLEARED 200 /* by one call */

struct agent_fact {
    struct uuid id;
    const char *key;
    const struct json *value;
    const char *category; /* a member of metadata; NULL: none */
    struct strs tags;
    const struct json *metadata;
    double importance_score, confidence_score;
    const char *source_type, *source_id, *status, *author_kind;
    struct uuid author_id;
    int64_t access_count, version;
    struct instant created_at, updated_at, expires_at, archived_at;
    bool created, changed; /* answers to writing, as of entries */
    struct strs evicted;
};

/* Members that are left out stay as they are where the key is there already. */
struct agent_fact_new {
    const char *key;
    const struct json *value;
    const char *category; /* NULL: as metadata has it */
    struct strs tags;
    const struct json *metadata; /* merged: RFC 7396 */
    enum entry_source source_type;
    const char *source_id;
    double importance, confidence;
    struct instant expires_at;
};

struct agent_fact_hit {
    const struct agent_fact *fact;
    double score;
};
struct agent_fact_hits {
    struct list hits; /* of struct agent_fact_hit */
    struct strs degraded;
};

/* agent_id nil: the calling agent. Each asks the gate about the agent. */

/* Upsert: another value is a new version. */
err agent_fact_put(struct ctx *c, struct uuid agent_id, const struct agent_fact_new *in, struct agent_fact *out);
/* By key or id; counts as use. */
err agent_fact_get(struct ctx *c, struct uuid agent_id, const char *key, struct agent_fact *out);
err agent_fact_update(struct ctx *c, struct uuid agent_id, const char *key, const struct entry_patch *p, struct agent_fact *out);
/* Archived, it leaves its key. */
err agent_fact_remove(struct ctx *c, struct uuid agent_id, const char *key, int64_t if_version, struct agent_fact *out);
err agent_fact_list(struct ctx *c, struct uuid agent_id, const struct entry_filter *f, struct page *out);
/* By words in key and value; counts as use. */
err agent_fact_search(struct ctx *c, struct uuid agent_id, const char *query, int64_t limit, struct agent_fact_hits *out);
/* Archives at most FACTS_CLEARED that the filter finds; *remaining: some are left. */
err agent_fact_clear(struct ctx *c, struct uuid agent_id, const struct entry_filter *f, int64_t *archived, bool *remaining);
err agent_fact_stats(struct ctx *c, struct uuid agent_id, struct context_stats *out);

/* Many at once, each standing alone; what is there under a key stays unless overwrite. */
struct agent_fact_synced {
    int64_t created, updated, unchanged, kept;
};
/* The context they go to, for this request. */
err agent_fact_sync_begin(struct ctx *c, struct uuid agent_id, const char **context);
err agent_fact_sync_one(struct ctx *c, const char *context, const struct agent_fact_new *in, bool overwrite, struct agent_fact_synced *out);
/* The live entries of another that the caller can read, at most FACTS_AT_ONCE, the most important ones. */
err agent_fact_sync_from(struct ctx *c, const char *context, const char *source, double min_importance, bool overwrite,
                         struct agent_fact_synced *out);

#endif
