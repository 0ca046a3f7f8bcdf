/* Experiences: what an agent has done and how it ended, in "<agent> Experiential Memory". */
#ifndef LOCI_EXPERIENCE_H
#define LOCI_EXPERIENCE_H

#include "entry.h"
#include "entry_search.h"

#define EXPERIENCE_DECAY 0.01 /* of importance, per day */

/* agent_id nil, here and below: the calling agent. */
struct experience_new {
    struct uuid agent_id;
    const struct json *content;
    const struct json *task_context; /* NULL: nothing is known of the task; what it names makes the memory surer */
    enum outcome outcome;
    double importance; /* negative: as the outcome says */
    struct strs tags;
    enum entry_source source_type;
    const char *source_id;
    bool force; /* even what the caller was just shown; needs memory.manage */
};

struct experience_made {
    bool stored;
    const char *reason; /* "echo": it was not stored */
    struct uuid of;     /* the node that the caller was shown */
    double echo_ratio;
    struct entry experience; /* where stored */
};

struct experience_query {
    struct uuid agent_id;
    const char *query;
    struct strs tags;
    enum outcome outcome; /* unknown: any */
    double min_importance, min_score;
    int64_t limit;
};

/* Each asks the gate about the agent. Every call makes a memory of its own: the same may be lived through twice. */
err experience_store(struct ctx *c, const struct experience_new *in, struct experience_made *out);
err experience_list(struct ctx *c, struct uuid agent_id, const struct entry_filter *f, struct page *out);
/* By recall; counts as use. */
err experience_search(struct ctx *c, const struct experience_query *in, struct entry_hits *out);
err experience_reinforce(struct ctx *c, struct uuid agent_id, const char *id, double amount, struct entry *out);

#endif
