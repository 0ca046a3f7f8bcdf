/* Running one operation: permission, arguments, handler, answer. The only way from a transport to a service. */
#ifndef LOCI_CALL_H
#define LOCI_CALL_H

#include "op.h"

struct call_result {
    const struct json *data; /* NULL: the operation answers nothing */
    const struct json *meta; /* paging, or NULL */
    struct uuid id;          /* of what was made, for Location */
    int64_t version;         /* for the ETag; 0: none */
    bool was_there;          /* OP_FINDS: nothing was made */
};

/* The permission gate; no handler runs before it. Refusals go to the audit trail. */
/* The same as a question; OP_OWNER: the service asks further. */
bool call_may(const struct ctx *c, const struct op *op);
err call_permit(struct ctx *c, const struct op *op);
/* call_permit, then decode, run, encode. args: an object with path, query and body members together. */
err call_run(struct ctx *c, const struct op *op, const struct json *args, struct call_result *r);
/* The same for operations that stream their answer, or take a file. */
err call_stream(struct ctx *c, const struct op *op, const struct json *args, struct sink *out);
err call_take(struct ctx *c, const struct op *op, const struct json *args, const struct upload *file, struct call_result *r);

const struct op *op_find(const struct op_table *t, const char *name);

#endif
