/* If-Match and lost updates, the same for everything that carries a version. */
#ifndef LOCI_MATCH_H
#define LOCI_MATCH_H

#include "ctx.h"

/* ERR_PRECONDITION, naming the current version, unless wanted is it (0 or less: any). */
static inline err match_version(struct ctx *c, int64_t wanted, int64_t current)
{
    if (wanted <= 0 || wanted == current)
        return ERR_OK;
    err e = fail(c, ERR_PRECONDITION, "the version is %lld now, not %lld", (long long)current, (long long)wanted);
    c->fault.current_version = current;
    return e;
}

/* What an UPDATE … AND version = ? that found no row means. */
static inline err match_lost(struct ctx *c, int64_t wanted)
{
    if (wanted > 0)
        return fail(c, ERR_PRECONDITION, "it was changed meanwhile; read it again");
    return fail(c, ERR_CONFLICT, "it was changed meanwhile; read it again");
}

#endif
