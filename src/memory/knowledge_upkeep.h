/* Shared knowledge by night: its quality is computed anew, and what is long unused and of low quality is marked. */
#ifndef LOCI_KNOWLEDGE_UPKEEP_H
#define LOCI_KNOWLEDGE_UPKEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"
#include "knowledge_score.h"

#define QUALITY_AGE_US DAY_US /* a stored quality may be so old */
#define QUALITY_STALE 0.4     /* below this, and unused for … */
#define QUALITY_STALE_DAYS 90 /* … so long, it is stale */

struct knowledge_row {
    struct uuid id;
    struct knowledge_facts facts;
    struct instant judged_at; /* when its quality was last computed */
    struct instant stale_at;  /* 0: not stale */
    double quality;           /* as stored; knowledge_upkeep_apply makes it the one of now */
};

struct knowledge_position {
    struct instant judged_at;
    struct uuid id;
};

/* Accounts above `above` where a quality is too old, ascending. */
err knowledge_upkeep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Those whose quality is too old, behind that position, oldest first. */
err knowledge_upkeep_scan(struct ctx *c, const struct knowledge_position *after, size_t max, struct knowledge_row *rows, size_t *n);
/* Inside the caller's transaction; says how many became stale. */
err knowledge_upkeep_apply(struct ctx *c, const struct knowledge_row *rows, size_t n, size_t *became_stale);

#endif
