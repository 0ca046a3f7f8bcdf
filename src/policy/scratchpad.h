/* The scratchpad of an agent: notes for itself that last from run to run. */
#ifndef LOCI_SCRATCHPAD_H
#define LOCI_SCRATCHPAD_H

#include "ctx.h"
#include "thing_table.h"

#define SCRATCHPAD_MAX 32768  /* bytes */
#define SCRATCHPAD_KEEP 16384 /* that stay when it is full */
#define SCRATCHPAD_OLD_CHARS 5000
#define SCRATCHPAD_OLD_DAYS 14
#define SCRATCHPAD_TRIM 2000

struct scratchpad {
    struct uuid agent_id;
    const char *body; /* "": it has none */
    int64_t bytes, version;
    struct instant updated_at;
    struct uuid updated_by;
};

struct scratchpad_text {
    struct uuid id; /* of the agent */
    const char *text;
    int64_t if_version;
};

/* An agent's own; another's with memory.manage, which the audit trail keeps; else ERR_NOT_FOUND. */
err scratchpad_get(struct ctx *c, struct uuid agent_id, struct scratchpad *out);
err scratchpad_set(struct ctx *c, const struct scratchpad_text *in, struct scratchpad *out);
/* At its end, on a line of its own. Where it gets too long the oldest text becomes an episode of the agent. */
err scratchpad_append(struct ctx *c, const struct scratchpad_text *in, struct scratchpad *out);
err scratchpad_clear(struct ctx *c, struct uuid agent_id);

/* ---- for the job */

struct scratchpad_old {
    struct uuid agent_id;
    const char *body;
};
/* Accounts above `above` that have long ones that nobody touched for long. */
err scratchpad_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Their newest text stays, the rest becomes an episode of the agent. */
err scratchpad_trim(struct ctx *c, int64_t limit, bool dry, int64_t *n);

#endif
