/* What the files of proposals share; nobody else includes this. */
#ifndef LOCI_PROPOSAL_IMPL_H
#define LOCI_PROPOSAL_IMPL_H

#include "intervention.h"
#include "proposal.h"

#define HOUR_US (3600 * SECOND_US)

/* The agent that the caller is, if it sees only what is its own; else nil. */
struct uuid proposal_viewer(const struct ctx *c);
/* The deadline, and when the job looks at it first: to remind of it. */
void proposal_set_deadline(struct proposal *p, struct instant now, int64_t hours);
/* Tells the reviewer, as the policy wants it. */
err proposal_tell(struct ctx *c, const struct proposal *p, const struct intervention_answer *a, const char *what);

#endif
