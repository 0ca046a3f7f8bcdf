/* What the files of session logs share; nobody else includes this. */
#ifndef LOCI_SESSION_LOG_IMPL_H
#define LOCI_SESSION_LOG_IMPL_H

#include "ctx.h"
#include "list.h"

#define SESSION_TAIL 1000 /* messages that are in no block, at most */

/* Namespaces that the caller may read, or this one of them. */
struct uuids session_spaces(struct ctx *c, struct uuid only);

#endif
