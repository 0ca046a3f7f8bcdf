/* Finding the communities of a space and writing what changed; see community.h. */
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "community.h"
#include "community_store.h"
#include "community_text.h"
#include "content.h"
#include "db.h"
#include "edge.h"
#include "leiden.h"
#include "node_many.h"

#define LARGE 50 /* names; a larger theme has parts */
#define PARTS_RESOLUTION 5.0
#define RESOLUTION_MAX 16.0
#define SHARE_MAX 4 /* a theme over a quarter of all names is cut again */
#define JACCARD 0.3 /* at which a community is the one of before */
#define ALGORITHM "leiden"

struct community_found {
    uint32_t *nodes; /* of the graph, ascending */
    size_t n;
    int64_t level;
    size_t parent; /* SIZE_MAX: none */
    struct bytes hash;
    struct uuid id;
    bool is_new, is_same;
};

struct community_work {
    struct uuid space_id;
    bool is_cold, dry_run;
    struct name_graph g;
    struct list was, places; /* of struct community_was, struct community_place */
    struct community_found *found;
    size_t n, cap;
    struct community_rebuild *out;
};

/* ---- finding */

/* Where each name was. */
static uint32_t *community_start(struct ctx *c, const struct community_work *w)
{
    const struct community_place *p = w->places.v;
    uint32_t *start = ARENA_ARRAY(c->arena, uint32_t, w->g.n + 1), first = UINT32_MAX;

    memset(start, 0xff, (w->g.n + 1) * sizeof *start);
    for (size_t i = 0; i < w->places.n; i++) {
        size_t at = name_graph_find(&w->g, p[i].node_id);

        if (!i || !uuid_eq(p[i - 1].community_id, p[i].community_id))
            first = UINT32_MAX;
        if (p[i].level != 0 || at == SIZE_MAX)
            continue;
        first = first == UINT32_MAX ? (uint32_t)at : first;
        start[at] = first;
    }
    return start;
}

/* What changed, what is new, and what lies beside that. */
static bool *community_touched(struct ctx *c, const struct community_work *w, const struct list *touched, const uint32_t *start)
{
    const struct uuid *ids = touched->v;
    bool *own = ARENA_ARRAY(c->arena, bool, w->g.n + 1), *all = ARENA_ARRAY(c->arena, bool, w->g.n + 1);

    for (size_t i = 0; i < touched->n; i++)
        if (name_graph_find(&w->g, ids[i]) != SIZE_MAX)
            own[name_graph_find(&w->g, ids[i])] = true;
    for (size_t i = 0; i < w->g.n; i++) {
        own[i] |= start[i] == UINT32_MAX;
        if (!own[i])
            continue;
        all[i] = true;
        for (size_t k = w->g.first[i]; k < w->g.first[i + 1]; k++)
            all[w->g.links[k].to] = true;
    }
    return all;
}

static void community_add(struct ctx *c, struct community_work *w, const uint32_t *nodes, size_t n, int64_t level, size_t parent)
{
    struct buf ids;

    if (n < COMMUNITY_MIN_SIZE)
        return;
    if (w->n == w->cap) {
        struct community_found *more = ARENA_ARRAY(c->arena, struct community_found, w->cap = w->cap ? 2 * w->cap : 64);

        if (w->n)
            memcpy(more, w->found, w->n * sizeof *more);
        w->found = more;
    }
    buf_init(&ids, c->arena, n * UUID_TEXT + 1);
    for (size_t i = 0; i < n; i++)
        buf_puts(&ids, UUID_STR(w->g.ids[nodes[i]]));
    w->found[w->n++] = (struct community_found){.nodes = arena_memdup(c->arena, nodes, n * sizeof *nodes), .n = n, .level = level,
                                                .parent = parent, .hash = content_hash(c->arena, "", buf_str(&ids), NULL)};
}

struct community_sort {
    uint32_t of, node;
};

static int community_sort_order(const void *a, const void *b)
{
    const struct community_sort *x = a, *y = b;

    return x->of != y->of ? (x->of > y->of) - (x->of < y->of) : (x->node > y->node) - (x->node < y->node);
}

/* Nodes by community; those of one stand side by side, and *runs has where each begins, and the end. */
static uint32_t *community_runs(struct ctx *c, const uint32_t *of, const uint32_t *nodes, size_t n, size_t **runs, size_t *n_runs)
{
    struct community_sort *by = ARENA_ARRAY(c->arena, struct community_sort, n + 1);
    uint32_t *out = ARENA_ARRAY(c->arena, uint32_t, n + 1);

    *runs = ARENA_ARRAY(c->arena, size_t, n + 2);
    *n_runs = 0;
    for (size_t i = 0; i < n; i++)
        by[i] = (struct community_sort){of[i], nodes ? nodes[i] : (uint32_t)i};
    if (n)
        qsort(by, n, sizeof *by, community_sort_order);
    for (size_t i = 0; i < n; i++) {
        if (!i || by[i].of != by[i - 1].of)
            (*runs)[(*n_runs)++] = i;
        out[i] = by[i].node;
    }
    (*runs)[*n_runs] = n;
    return out;
}

/* A part of the graph cut finer. */
static uint32_t *community_cut(struct ctx *c, const struct community_work *w, const uint32_t *nodes, size_t n, double resolution,
                               size_t **runs, size_t *n_runs)
{
    struct name_graph part;

    leiden_part(c->arena, &w->g, nodes, n, &part);
    return community_runs(c, leiden(c->arena, &part, resolution, NULL, NULL), nodes, n, runs, n_runs);
}

static size_t community_longest(const size_t *runs, size_t n)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++)
        most = runs[i + 1] - runs[i] > most ? runs[i + 1] - runs[i] : most;
    return most;
}

static void community_add_theme(struct ctx *c, struct community_work *w, const uint32_t *nodes, size_t n)
{
    size_t *runs, k, parent = w->n;
    uint32_t *parts;

    community_add(c, w, nodes, n, 0, SIZE_MAX);
    if (n <= LARGE)
        return;
    parts = community_cut(c, w, nodes, n, PARTS_RESOLUTION, &runs, &k);
    for (size_t i = 0; k > 1 && i < k; i++)
        community_add(c, w, parts + runs[i], runs[i + 1] - runs[i], 1, parent);
}

static void community_find(struct ctx *c, struct community_work *w, const uint32_t *start, const bool *touched)
{
    size_t *runs, k;
    uint32_t *nodes = community_runs(c, leiden(c->arena, &w->g, 1, start, touched), NULL, w->g.n, &runs, &k);

    for (size_t i = 0; i < k; i++) {
        size_t n = runs[i + 1] - runs[i], *cuts = (size_t[]){0, n}, n_cuts = 1;
        uint32_t *at = nodes + runs[i];

        if (n > LARGE && n > w->g.n / SHARE_MAX)
            for (double r = 2; r <= RESOLUTION_MAX && community_longest(cuts, n_cuts) > w->g.n / SHARE_MAX; r *= 2)
                at = community_cut(c, w, nodes + runs[i], n, r, &cuts, &n_cuts);
        for (size_t m = 0; m < n_cuts; m++)
            community_add_theme(c, w, at + cuts[m], cuts[m + 1] - cuts[m]);
    }
}

/* ---- which of before each is */

static const struct community_was *community_was_equal(const struct community_work *w, const struct community_found *f, const bool *taken)
{
    const struct community_was *v = w->was.v;

    for (size_t i = 0; i < w->was.n; i++)
        if (!taken[i] && v[i].level == f->level && v[i].members_hash.n == f->hash.n && !memcmp(v[i].members_hash.p, f->hash.p, f->hash.n))
            return &v[i];
    return NULL;
}

/* The one of before that shares most members, if enough. */
static const struct community_was *community_was_like(const struct community_work *w, const struct community_found *f, const bool *taken)
{
    const struct community_place *p = w->places.v;
    const struct community_was *v = w->was.v, *best = NULL;
    double most = JACCARD;

    for (size_t i = 0, at = 0; i < w->was.n; i++) {
        size_t shared = 0, size = 0;

        for (; at < w->places.n && uuid_cmp(p[at].community_id, v[i].id) <= 0; at++) {
            size_t node = name_graph_find(&w->g, p[at].node_id);

            if (!uuid_eq(p[at].community_id, v[i].id))
                continue;
            size++;
            for (size_t lo = 0, hi = f->n; node != SIZE_MAX && lo < hi;) {
                size_t mid = lo + (hi - lo) / 2;

                if (f->nodes[mid] == node) {
                    shared++;
                    break;
                }
                if (f->nodes[mid] < node)
                    lo = mid + 1;
                else
                    hi = mid;
            }
        }
        if (!taken[i] && v[i].level == f->level && (double)shared / (double)(size + f->n - shared) >= most) {
            most = (double)shared / (double)(size + f->n - shared);
            best = &v[i];
        }
    }
    return best;
}

static void community_inherit(struct ctx *c, struct community_work *w, bool *taken)
{
    const struct community_was *v = w->was.v, *was;

    for (size_t i = 0; i < w->n; i++) {
        struct community_found *f = &w->found[i];

        was = community_was_equal(w, f, taken);
        if (!was)
            continue;
        taken[was - v] = true;
        f->id = was->id;
        f->is_same = was->is_whole;
    }
    for (size_t i = 0; i < w->n; i++) {
        struct community_found *f = &w->found[i];

        if (!uuid_is_nil(f->id))
            continue;
        was = community_was_like(w, f, taken);
        f->is_new = !was;
        f->id = was ? was->id : uuid_new(c->now.us);
        if (was)
            taken[was - v] = true;
    }
}

/* ---- writing */

static void community_weigh(const struct community_work *w, const struct community_found *f, double *strength, struct community_row *r)
{
    size_t pairs = 0;

    for (size_t i = 0; i < f->n; i++)
        for (size_t k = w->g.first[f->nodes[i]]; k < w->g.first[f->nodes[i] + 1]; k++) {
            const uint32_t to = w->g.links[k].to;
            size_t lo = 0, hi = f->n;

            while (lo < hi) {
                size_t mid = lo + (hi - lo) / 2;

                if (f->nodes[mid] < to)
                    lo = mid + 1;
                else
                    hi = mid;
            }
            if (lo == f->n || f->nodes[lo] != to)
                continue;
            strength[i] += w->g.links[k].weight;
            pairs++;
        }
    for (size_t i = 0; i < f->n; i++)
        r->edge_weight += strength[i] / 2;
    r->density = (double)pairs / ((double)f->n * (double)(f->n - 1));
}

static err community_write_text(struct ctx *c, const struct community_work *w, const struct community_found *f, const double *strength)
{
    struct edge_new from[COMMUNITY_QUOTES];
    struct community_text t;
    struct uuids before;

    TRY(community_text_make(c, &w->g, f->nodes, strength, f->n, &t));
    TRY(node_put_many(c, &(struct node_new){NODE_NEW_DEFAULTS, .id = f->id, .space_id = w->space_id, .kind = "community", .by_room = true,
                                            .title = t.title, .body = t.summary}, 1));
    TRY(edge_drop_from(c, &f->id, 1, "DERIVED_FROM", &before));
    for (size_t i = 0; i < t.quoted.n; i++)
        from[i] = (struct edge_new){EDGE_NEW_DEFAULTS, .source_id = f->id, .target_id = t.quoted.v[i], .relation = "DERIVED_FROM"};
    TRY(edge_put_many(c, from, t.quoted.n));
    return c->app->vectors_later ? c->app->vectors_later(c, &f->id, 1) : ERR_OK;
}

static err community_write(struct ctx *c, const struct community_work *w, const struct community_found *f)
{
    struct community_row r = {.id = f->id, .space_id = w->space_id, .level = f->level, .size = (int64_t)f->n, .members_hash = f->hash,
                              .algorithm = ALGORITHM};
    double *strength = ARENA_ARRAY(c->arena, double, f->n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, f->n + 1);

    if (f->parent != SIZE_MAX)
        r.parent_id = w->found[f->parent].id;
    for (size_t i = 0; i < f->n; i++)
        ids[i] = w->g.ids[f->nodes[i]];
    community_weigh(w, f, strength, &r);
    TRY(community_write_text(c, w, f, strength));
    TRY(community_store_put(c, &r, 1));
    return community_store_put_members(c, f->id, ids, strength, f->n);
}

static err community_write_all(struct ctx *c, struct community_work *w, const bool *taken)
{
    const struct community_was *v = w->was.v;
    struct uuid *gone = ARENA_ARRAY(c->arena, struct uuid, w->was.n + 1);
    struct uuids quoted;
    size_t n = 0;

    for (size_t i = 0; i < w->was.n; i++)
        if (!taken[i])
            gone[n++] = v[i].id;
    w->out->removed = (int64_t)n;
    for (size_t i = 0; i < w->n; i++) {
        w->out->made += w->found[i].is_new;
        w->out->kept += w->found[i].is_same;
        w->out->changed += !w->found[i].is_new && !w->found[i].is_same;
        if (!w->dry_run && !w->found[i].is_same)
            TRY(community_write(c, w, &w->found[i]));
    }
    if (w->dry_run || !n)
        return ERR_OK;
    TRY(edge_drop_from(c, gone, n, "DERIVED_FROM", &quoted));
    TRY(node_drop_many(c, w->space_id, gone, n));
    return community_store_drop(c, gone, n);
}

static err community_rebuild_tx(struct ctx *c, void *arg)
{
    struct community_work *w = arg;
    struct instant since, seen;
    struct list touched;
    uint32_t *start;
    bool *taken;

    w->n = w->cap = 0;
    *w->out = (struct community_rebuild){.space_id = w->space_id, .dry_run = w->dry_run};
    TRY(community_store_seen(c, w->space_id, &since));
    TRY(community_store_touched(c, w->space_id, since, &touched, &seen));
    TRY(community_store_was(c, w->space_id, &w->was));
    TRY(community_store_places(c, w->space_id, &w->places));
    TRY(name_graph_load(c, &w->space_id, 1, &w->g));
    start = community_start(c, w);
    if (w->is_cold || !w->was.n)
        community_find(c, w, NULL, NULL);
    else
        community_find(c, w, start, community_touched(c, w, &touched, start));
    w->out->names = (int64_t)w->g.n;
    w->out->found = (int64_t)w->n;
    taken = ARENA_ARRAY(c->arena, bool, w->was.n + 1);
    community_inherit(c, w, taken);
    TRY(community_write_all(c, w, taken));
    TRY(ctx_check_size(c));
    return w->dry_run ? ERR_OK : community_store_ran(c, w->space_id, seen);
}

err community_rebuild(struct ctx *c, struct uuid space_id, bool is_cold, bool dry_run, struct community_rebuild *out)
{
    struct community_work w = {.space_id = space_id, .is_cold = is_cold, .dry_run = dry_run, .out = out};

    TRY(access_require(c, space_id, ACCESS_WRITE));
    return db_tx(c, community_rebuild_tx, &w);
}
