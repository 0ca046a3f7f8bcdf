/* SQL of the sensors; only sensor.c includes it. */
#ifndef LOCI_SENSOR_STORE_H
#define LOCI_SENSOR_STORE_H

#include "db.h"
#include "observation.h"

struct sensor_agent {
    struct uuid id;
    const char *sensors; /* JSON */
};
/* Locked. */
err sensor_store_agents(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
err sensor_store_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

/* A finding; agent nil: for every agent that has the sensor. */
struct sensor_finding {
    struct uuid agent_id, goal_id;
    const char *type, *severity, *subject, *title, *data;
    bool requires_action;
    int64_t hours; /* 0: as the sensor has it */
};
err sensor_store_findings(struct ctx *c, err (*query)(struct ctx *c, struct db_cursor *q), struct list *out);

/* Statements that answer findings. */
err sensor_store_knowledge(struct ctx *c, struct db_cursor *q);
err sensor_store_platform(struct ctx *c, struct db_cursor *q);
err sensor_store_peers(struct ctx *c, struct db_cursor *q);
err sensor_store_advice(struct ctx *c, struct db_cursor *q);
err sensor_store_goals(struct ctx *c, struct db_cursor *q);
err sensor_store_governance(struct ctx *c, struct db_cursor *q);
err sensor_store_workspace(struct ctx *c, struct db_cursor *q);

#endif
