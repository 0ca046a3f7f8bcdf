/* The decay of idle agents, for the job. */
#ifndef LOCI_TRUST_DECAY_H
#define LOCI_TRUST_DECAY_H

#include "ctx.h"

struct trust_decayed {
    int64_t scanned, decayed, demoted;
};
/* Accounts above `above` that have agents idle for long. */
err trust_decay_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* A batch of these: overall and tier become what idleness leaves; the dimensions stay. */
err trust_decay(struct ctx *c, int64_t limit, bool dry, struct trust_decayed *out);

#endif
