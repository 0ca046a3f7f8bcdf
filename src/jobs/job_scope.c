/* Whom a call about jobs concerns; see job_scope.h. */
#include "job_scope.h"

#include "principal.h"

ENUMX_DEFINE(job_scope, JOB_SCOPE);

err job_scope_of(struct ctx *c, int scope, bool *everywhere)
{
    bool is_operator = c->who && c->who->is_operator;

    if (scope == SCOPE_EVERYWHERE && !is_operator)
        return fail(c, ERR_FORBIDDEN, "scope everywhere is only for operators");
    *everywhere = is_operator && scope != SCOPE_ACCOUNT;
    return ERR_OK;
}
