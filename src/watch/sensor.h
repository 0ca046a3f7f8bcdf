/* Sensors: one statement each for all agents of an account; what they find becomes observations. A new sensor is a row of the table. */
#ifndef LOCI_SENSOR_H
#define LOCI_SENSOR_H

#include "agent.h"
#include "ctx.h"

#define SENSORS_MAX 8 /* statements of a run, at most */

/* What a pass over some agents came to. */
struct sensing {
    struct uuid last; /* the pass ended with this agent */
    int64_t agents, asked, created, seen, closed, capped;
    const char *failed[SENSORS_MAX]; /* sensors that could not look, by name; the log says why */
    size_t n_failed;
};
/* Of watched, active agents behind that one, at most so many; inside a transaction. */
err sensor_pass(struct ctx *c, struct uuid behind, int64_t limit, struct sensing *out);
err sensor_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Seconds that an observation of that type stays open, unless it is said. */
int64_t sensor_lasts(enum sensor_type type);

#endif
