/* What the decisions of a month say about an agent: a suggestion of another policy, never more than that. */
#ifndef LOCI_TUNING_H
#define LOCI_TUNING_H

#include "ctx.h"
#include "list.h"

#define TUNING_DAYS 30
#define TUNING_LEAST 10 /* decisions that say something */
#define TUNING_LAST 5   /* none of these was rejected */
#define TUNING_GOOD .95
#define TUNING_BAD .30

/* The proposals of an agent that people decided, critical ones and changes of code aside. */
struct tuning {
    struct uuid agent_id;
    const char *name;
    int64_t decided, approved, late_rejected; /* late: among the last TUNING_LAST */
    bool has_policy;                          /* one of its own says auto_approve already */
};
/* Agents behind that id with enough decisions: of struct tuning. */
err tuning_list(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
err tuning_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Inside a transaction. *made: a recommendation is new. */
err tuning_suggest(struct ctx *c, const struct tuning *t, bool *made);

/* The 95 % interval of a share (Wilson); a pure function. */
void tuning_interval(int64_t hits, int64_t n, double *low, double *high);

#endif
