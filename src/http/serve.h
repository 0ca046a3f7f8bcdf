/* One exchange from its first byte to its log line, for every route. */
#ifndef LOCI_SERVE_H
#define LOCI_SERVE_H

#include "router.h"

/* Routes, answers, counts and logs. The arena is reset at the end. */
void serve(struct ctx *c, struct router *routes, struct exchange *x);

/* Set once by the main thread at SIGTERM: /readyz then says 503. */
void serve_drain(void);
bool serve_is_draining(void);

#endif
