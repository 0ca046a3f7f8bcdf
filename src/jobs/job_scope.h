/* Whom a call about jobs concerns: the caller's account, or, for operators, everybody. */
#ifndef LOCI_JOB_SCOPE_H
#define LOCI_JOB_SCOPE_H

#include "ctx.h"
#include "enumx.h"

#define JOB_SCOPE(X) X(SCOPE_ACCOUNT, "account") X(SCOPE_EVERYWHERE, "everywhere")
ENUMX_DECLARE(job_scope, JOB_SCOPE);

/* scope -1: everywhere for operators, else the account. ERR_FORBIDDEN for everywhere without the operator flag. */
err job_scope_of(struct ctx *c, int scope, bool *everywhere);

#define F_SCOPE(s) \
    F_ENUM(s, scope, FIELD_NULLABLE, job_scope, -1, \
           "scope: account, or everywhere (operators only, and their default)")

#endif
