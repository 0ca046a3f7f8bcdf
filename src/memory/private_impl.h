/* What the files of private pools share; nobody else includes this. */
#ifndef LOCI_PRIVATE_IMPL_H
#define LOCI_PRIVATE_IMPL_H

#include "private.h"
#include "subject.h"

/* The pool of the agent, found or made. Past the gate: the caller of this has asked subject_or_self; from here on this request
 * may write to it. Two at once make one. */
err private_pool(struct ctx *c, struct uuid agent_id, struct space *out);

/* The same where it is there; *found false: nothing was ever remembered. From here on this request may read it. */
err private_pool_there(struct ctx *c, struct uuid agent_id, bool *found, struct uuid *id);

#endif
