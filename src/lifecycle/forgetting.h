/* Forgetting: a memory and what stands on it alone is out of every read at once, and comes back as one. */
#ifndef LOCI_FORGETTING_H
#define LOCI_FORGETTING_H

#include "ctx.h"

#define FORGET_REASON 500 /* characters */

struct forget_in {
    struct uuid id;
    const char *reason;
    bool cascade, block_relearn;
};

struct forgotten {
    struct uuid op_id; /* nil: it was forgotten already */
    bool already_forgotten;
    int64_t nodes; /* with what followed from it */
};

/* No score, trust, age or pin is asked. */
err memory_forget(struct ctx *c, const struct forget_in *in, struct forgotten *out);

struct unforget_in {
    struct uuid id, op_id; /* op_id nil: the newest forgetting of the memory */
};
/* Exactly what that call had forgotten; what was erased meanwhile does not come back. */
err memory_unforget(struct ctx *c, const struct unforget_in *in, struct forgotten *out);

#endif
