/* What the files of the context service share; nobody else includes this. */
#ifndef LOCI_CONTEXT_IMPL_H
#define LOCI_CONTEXT_IMPL_H

#include "access_log.h"
#include "acl.h"
#include "context.h"

/* What `agents` and `public` give in a context. */
extern const struct acl_rules CONTEXT_RULES;

err context_missing(struct ctx *c);
/* The context by id or handle, if the caller may read it. */
err context_find(struct ctx *c, const char *ref, struct context *out);
/* The same for calls that its owner makes without the permission context.manage: to all others without it, it does not matter
 * whether there is such a context. */
err context_find_to_govern(struct ctx *c, const char *ref, struct context *out);
/* ERR_FORBIDDEN, which the access log holds, below that level. */
err context_require(struct ctx *c, const struct context *x, enum access_level level, enum access_action action);
/* What was done with the context itself, for the access log. */
err context_log(struct ctx *c, enum access_action action, struct uuid id, const struct json *metadata);
/* Fills what is not in the rows: level of the caller, and the access list for who may manage. */
err context_present(struct ctx *c, struct context *x);
/* A context that was asked for as a space: its maker alone reads it, and its team. */
err context_make_space(struct ctx *c, const struct space *in, struct space *out);
/* A restore of a snapshot that takes several transactions is under way: nobody else changes entries. */
bool context_is_restoring(const struct ctx *c, const struct context *x);
err context_refuse_restoring(struct ctx *c);
/* Sizes of what is said of a context. */
err context_check(struct ctx *c, const struct json *data, const struct json *metadata, const struct json *retention);

#endif
