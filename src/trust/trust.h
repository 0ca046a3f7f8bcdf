/* How far an agent is trusted: five dimensions that move with what its work was worth, and the tier that follows from them. */
#ifndef LOCI_TRUST_H
#define LOCI_TRUST_H

#include "ctx.h"
#include "enumx.h"

#define TRUST_TIER(X) \
    X(TRUST_SUPERVISED, "supervised") X(TRUST_MONITORED, "monitored") X(TRUST_TRUSTED, "trusted") X(TRUST_AUTONOMOUS, "autonomous")
ENUMX_DECLARE(trust_tier, TRUST_TIER);

/* What holds now: after the decay of the idle, pins and emergencies. ERR_NOT_FOUND: no such agent. Asks for no permission. */
err trust_tier_of(struct ctx *c, struct uuid agent_id, enum trust_tier *out);
/* Loci's own evidence, inside the caller's transaction: a step of quality (0 to 1), once per kind and subject. An agent that does
 * not exist is no error: what it did outlives it. */
err trust_evidence(struct ctx *c, struct uuid agent_id, const char *kind, struct uuid subject, double quality);
/* The same by pointers: struct app.trust_evidence. */
err trust_told(struct ctx *c, const struct uuid *agent_id, const char *kind, const struct uuid *subject, double quality);

#endif
