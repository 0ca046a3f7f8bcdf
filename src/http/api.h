/* The REST transport: a row of the call table served over one exchange. */
#ifndef LOCI_API_H
#define LOCI_API_H

#include "op.h"
#include "router.h"

/* One route for each operation. The routes live in the arena. */
void api_add_routes(struct router *r, struct arena *a, const struct op_table *ops);

/* Who is calling: a bearer token, or the browser's session (whose changes must carry X-CSRF-Token). Sets rate headers. */
err api_authenticate(struct ctx *c, struct exchange *x);

/* The same for one who was let in before and listens since: it does not count against his rate, and the answer has no headers. */
err api_authenticate_again(struct ctx *c, struct exchange *x);

#define SESSION_COOKIE "loci_session"

#endif
