/* A tree of path segments, built at start and only read afterwards. */
#include "router.h"

#include <assert.h>
#include <string.h>

#define METHODS_MAX 6

struct place {
    const char *segment;
    size_t len;
    struct place *children, *next;
    struct place *any; /* ":x" */
    const struct route *routes[METHODS_MAX];
    size_t n_routes;
};

struct router {
    struct arena *arena;
    struct place root;
    const struct route *otherwise;
};

struct router *router_new(struct arena *a)
{
    struct router *r = ARENA_NEW(a, struct router);

    r->arena = a;
    return r;
}

static struct place *child(struct router *r, struct place *p, const char *segment, size_t len)
{
    struct place **slot = &p->children;

    if (*segment == ':') {
        if (!p->any)
            p->any = ARENA_NEW(r->arena, struct place);
        return p->any;
    }
    for (; *slot; slot = &(*slot)->next)
        if ((*slot)->len == len && memcmp((*slot)->segment, segment, len) == 0)
            return *slot;
    *slot = ARENA_NEW(r->arena, struct place);
    (*slot)->segment = segment;
    (*slot)->len = len;
    return *slot;
}

void router_add(struct router *r, const struct route *route)
{
    struct place *at = &r->root;

    for (const char *p = route->path; *p == '/';) {
        size_t len = strcspn(p + 1, "/");

        at = child(r, at, p + 1, len);
        p += 1 + len;
    }
    for (size_t i = 0; i < at->n_routes; i++)
        assert(strcmp(at->routes[i]->method, route->method) != 0);
    assert(at->n_routes < METHODS_MAX);
    at->routes[at->n_routes++] = route;
}

void router_add_for(struct router *r, struct arena *a, const struct route *routes, size_t n, const void *target)
{
    for (size_t i = 0; i < n; i++) {
        struct route *own = arena_memdup(a, &routes[i], sizeof *own);

        own->target = target;
        router_add(r, own);
    }
}

/* Fixed segments first; ":x" when they lead nowhere. Depth is bounded by the tree, not by the request. */
static const struct place *router_walk(const struct place *at, struct exchange *x, const char *p, bool *bad)
{
    const struct place *found = NULL;
    size_t len, mine = x->n_params;
    const char *value;

    if (*p != '/')
        return at->n_routes ? at : NULL;
    len = strcspn(p + 1, "/");
    for (const struct place *c = at->children; c && !found; c = c->next)
        if (c->len == len && memcmp(c->segment, p + 1, len) == 0)
            found = router_walk(c, x, p + 1 + len, bad);
    if (found || !at->any || !len || mine == EXCHANGE_PARAMS)
        return found;
    value = percent_decode(x->arena, p + 1, len, false);
    if (!value) {
        *bad = true;
        return NULL;
    }
    x->params[x->n_params++] = value;
    found = router_walk(at->any, x, p + 1 + len, bad);
    if (!found)
        x->n_params = mine;
    return found;
}

static const char *methods(struct arena *a, const struct place *at)
{
    struct buf b;

    buf_init(&b, a, 64);
    for (size_t i = 0; i < at->n_routes; i++) {
        buf_printf(&b, "%s%s", i ? ", " : "", at->routes[i]->method);
        if (strcmp(at->routes[i]->method, "GET") == 0)
            buf_puts(&b, ", HEAD");
    }
    return buf_str(&b);
}

const struct route *router_find(struct router *r, struct exchange *x, const char **allow, bool *bad)
{
    const char *method = strcmp(x->method, "HEAD") == 0 ? "GET" : x->method;
    const struct place *at;

    *allow = NULL;
    *bad = false;
    x->n_params = 0;
    at = router_walk(&r->root, x, x->path, bad);
    if (!at)
        return NULL;
    for (size_t i = 0; i < at->n_routes; i++)
        if (strcmp(at->routes[i]->method, method) == 0 || strcmp(at->routes[i]->method, "*") == 0)
            return at->routes[i];
    *allow = methods(x->arena, at);
    return NULL;
}

void router_otherwise(struct router *r, const struct route *route)
{
    assert(!r->otherwise);
    r->otherwise = route;
}

const struct route *router_other(const struct router *r, const char *path)
{
    size_t n = r->otherwise ? strlen(r->otherwise->path) : 0;

    return n && strncmp(path, r->otherwise->path, n) == 0 && (!path[n] || path[n] == '/') ? r->otherwise : NULL;
}
