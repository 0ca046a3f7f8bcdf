/* What the services of trust share; no other room includes this. */
#ifndef LOCI_TRUST_IMPL_H
#define LOCI_TRUST_IMPL_H

#include "json.h"
#include "trust_score.h"

#define TRUST_EVENTS 50 /* of an agent that are kept */

/* One thing that moves trust. */
struct trust_item {
    const char *kind;
    struct uuid execution_id;   /* counts once per kind */
    double x[TRUST_DIMENSIONS]; /* NAN: it says nothing of that dimension */
    double shift;               /* added to quality instead: a feedback that was changed */
    bool own;                   /* the agent says it of itself: only what lowers counts */
    bool violation;             /* of safety: an emergency */
    const struct json *inputs;  /* for the history */
    struct instant at;
};

/* The agent's row is locked. ERR_NOT_FOUND: no such agent. */
err trust_take(struct ctx *c, struct uuid agent_id, struct agent_trust *out);
/* Inside a transaction, in their order; those that counted before do not. t: as taken; becomes what is stored. */
err trust_apply(struct ctx *c, struct agent_trust *t, const struct trust_item *items, size_t n, size_t *counted);
/* Stores a change of tier, pin or limit: row, mirror, audit event, whoever holds its rights. */
err trust_save(struct ctx *c, const struct agent_trust *was, const struct agent_trust *t);
/* Dimensions, overall and tier as they are now, for the history. */
struct json *trust_json(struct ctx *c, const struct agent_trust *t);

#endif
