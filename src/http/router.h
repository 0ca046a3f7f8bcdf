/* From method and path to whoever serves them. */
#ifndef LOCI_ROUTER_H
#define LOCI_ROUTER_H

#include "exchange.h"

struct route;
struct router;

/* target: what serve works on, such as a struct op. Path segments ":x" take any one segment; fixed ones win. A method "*"
 * stands alone on its path and takes whatever comes. */
struct route {
    const char *method, *path;
    const char *name; /* for metrics and logs */
    void (*serve)(struct ctx *c, struct exchange *x, const struct route *r);
    const void *target;
};

struct router *router_new(struct arena *a);
/* Two routes for one method and path are a mistake of ours: assert. The route must outlive the router. */
void router_add(struct router *r, const struct route *route);
/* Copies of n routes, in the arena, that work on this target. */
void router_add_for(struct router *r, struct arena *a, const struct route *routes, size_t n, const void *target);

/* Fills x->params. NULL: no route; then *allow lists the path's methods, or is NULL when the path is unknown.
 * HEAD is served by GET. bad is set when the path cannot be decoded. */
const struct route *router_find(struct router *r, struct exchange *x, const char **allow, bool *bad);

/* Who answers below a path prefix when nothing else does, knowing the failure from ctx: pages for people, where the API
 * has problems. One of them; route->path is the prefix. */
void router_otherwise(struct router *r, const struct route *route);
/* That route when it is for this path, else NULL. */
const struct route *router_other(const struct router *r, const char *path);

#endif
