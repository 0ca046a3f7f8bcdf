/* The audit trail: one event per change, written in the transaction of the change. */
#ifndef LOCI_AUDIT_H
#define LOCI_AUDIT_H

#include "ctx.h"
#include "json.h"

struct audit {
    const char *kind;            /* "node.update": subject and verb */
    const char *subject_kind;    /* "node" */
    struct uuid subject_id, space_id;
    const struct json *before, *after, *payload;     /* NULL: nothing to say; never secrets, never erased content */
};

/* Inside the transaction of the change. Actor, request id, address and time come from ctx. */
err audit_add(struct ctx *c, const struct audit *a);
/* A refusal with a security cause, in a transaction of its own; a failure to write it is logged, not passed on. */
void audit_refusal(struct ctx *c, const char *kind, const char *subject_kind, struct uuid subject_id, const char *why);

#endif
