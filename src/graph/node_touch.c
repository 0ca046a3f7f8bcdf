/* Reads that count as use: gathered in the process, written in batches; see node.h. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "db.h"
#include "metrics.h"
#include "node.h"
#include "node_kind.h"
#include "node_touch_store.h"
#include "node_write_store.h"

#define BATCH 256

struct use {
    struct uuid account_id, node_id;
    int64_t n;           /* 0: a free place */
    int64_t named;       /* those of them that asked for it by its id */
    struct instant last; /* when */
};

/* An open-addressed table of fixed size. What does not fit is counted as dropped: a use is a hint, not a fact. */
struct node_touches {
    pthread_mutex_t lock;
    struct arena *arena;
    struct use *uses;
    size_t places, used, max;
    const struct use *flight; /* taken out and not written yet, sorted; of the flush that is under way */
    size_t in_flight;
    int64_t flushes;
};

static const struct metric DROPPED = {"loci_node_uses_dropped_total", METRIC_COUNTER,
                                      "node reads not counted because the buffer was full"};

struct node_touches *node_touches_new(size_t max_nodes)
{
    size_t places = 16;
    struct arena *a;
    struct node_touches *t;

    while (places < max_nodes * 2)
        places *= 2;
    a = arena_new(places * sizeof(struct use) + 65536);
    t = ARENA_NEW(a, struct node_touches);
    t->arena = a;
    t->uses = ARENA_ARRAY(a, struct use, places);
    t->places = places;
    t->max = max_nodes;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void node_touches_free(struct node_touches *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    arena_free(t->arena);
}

/* Under the lock: the node's place, or the free one where it would stand. */
static struct use *node_touch_place_of(struct node_touches *t, struct uuid account_id, struct uuid node_id)
{
    size_t i = hash_bytes(node_id.b, sizeof node_id.b, 0) & (t->places - 1);

    for (;; i = (i + 1) & (t->places - 1)) {
        struct use *u = &t->uses[i];

        if (!u->n || (uuid_eq(u->node_id, node_id) && uuid_eq(u->account_id, account_id)))
            return u;
    }
}

/* Under the lock. false: full. */
static bool node_touch_add(struct node_touches *t, const struct use *in)
{
    struct use *u = node_touch_place_of(t, in->account_id, in->node_id);

    if (u->n) {
        u->n += in->n;
        u->named += in->named;
        if (in->last.us > u->last.us)
            u->last = in->last;
        return true;
    }
    if (t->used == t->max)
        return false;
    *u = *in;
    t->used++;
    return true;
}

static void node_touch_dropped(struct ctx *c, int64_t n)
{
    if (n && c->app->metrics)
        metrics_add(c->app->metrics, &DROPPED, "", (double)n);
}

static void node_touch_gather(struct ctx *c, const struct uuid *ids, size_t n, int64_t named)
{
    struct node_touches *t = c->app ? c->app->touches : NULL;
    int64_t lost = 0;

    if (!t || !n)
        return;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < n; i++)
        lost += !node_touch_add(t, &(struct use){c->account_id, ids[i], 1, named, c->now});
    pthread_mutex_unlock(&t->lock);
    node_touch_dropped(c, lost);
}

void node_touch(struct ctx *c, const struct uuid *ids, size_t n)
{
    node_touch_gather(c, ids, n, 0);
}

void node_use(struct ctx *c, struct uuid id)
{
    node_touch_gather(c, &id, 1, 1);
}

static int by_account_and_id(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    int r = uuid_cmp(x->account_id, y->account_id);

    return r ? r : uuid_cmp(x->node_id, y->node_id);
}

bool node_waiting_uses(struct ctx *c, const struct uuid *ids, size_t n, int64_t *uses)
{
    struct node_touches *t = c->app ? c->app->touches : NULL;
    bool any = false;

    for (size_t i = 0; i < n; i++)
        uses[i] = 0;
    if (!t)
        return false;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < n; i++) {
        struct use key = {.account_id = c->account_id, .node_id = ids[i]};
        const struct use *flying = t->in_flight ? bsearch(&key, t->flight, t->in_flight, sizeof key, by_account_and_id) : NULL;

        uses[i] = node_touch_place_of(t, c->account_id, ids[i])->n + (flying ? flying->n : 0);
        any |= uses[i] > 0;
    }
    pthread_mutex_unlock(&t->lock);
    return any;
}

int64_t node_flushes(struct ctx *c)
{
    struct node_touches *t = c->app ? c->app->touches : NULL;
    int64_t n = 0;

    if (!t)
        return 0;
    pthread_mutex_lock(&t->lock);
    n = t->flushes;
    pthread_mutex_unlock(&t->lock);
    return n;
}

err node_named_uses(struct ctx *c, const struct node *n, int64_t *named)
{
    *named = 0;
    return node_kind_has(n->kind, KIND_USES) ? node_touch_store_uses(c, n->id, named) : ERR_OK;
}

err node_count_uses(struct ctx *c, struct uuid id, int64_t uses, int64_t named)
{
    TRY(node_write_count(c, id, uses));
    return named ? node_touch_store_add(c, id, named) : ERR_OK;
}

/* ---- flushing */

/* Empties the table into the request's arena, sorted. */
static struct use *node_touch_take_all(struct ctx *c, struct node_touches *t, size_t *n)
{
    struct use *all;
    size_t k = 0;

    pthread_mutex_lock(&t->lock);
    all = ARENA_ARRAY(c->arena, struct use, t->used + 1);
    if (t->used) {
        for (size_t i = 0; i < t->places; i++)
            if (t->uses[i].n)
                all[k++] = t->uses[i];
        memset(t->uses, 0, t->places * sizeof *t->uses);
        t->used = 0;
    }
    qsort(all, k, sizeof *all, by_account_and_id);
    t->flight = all;
    t->in_flight = k;
    pthread_mutex_unlock(&t->lock);
    *n = k;
    return all;
}

/* The end of a flush: what could not be written waits again. */
static void put_back(struct ctx *c, struct node_touches *t, const struct use *u, size_t n)
{
    int64_t lost = 0;

    pthread_mutex_lock(&t->lock);
    t->flight = NULL;
    t->in_flight = 0;
    t->flushes++;
    for (size_t i = 0; i < n; i++)
        if (!node_touch_add(t, &u[i]))
            lost += u[i].n;
    pthread_mutex_unlock(&t->lock);
    node_touch_dropped(c, lost);
}

struct batch {
    const struct use *uses; /* of one account, sorted by id */
    size_t n;
};

static int use_by_id(const void *a, const void *b)
{
    return uuid_cmp(((const struct use *)a)->node_id, ((const struct use *)b)->node_id);
}

static err node_touch_flush_body(struct ctx *c, void *arg)
{
    const struct batch *b = arg;
    struct uuid account_id = b->uses[0].account_id;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, b->n);
    struct touched *rows = ARENA_ARRAY(c->arena, struct touched, b->n + 1);
    size_t found;

    for (size_t i = 0; i < b->n; i++)
        ids[i] = b->uses[i].node_id;
    TRY(node_touch_store_lock(c, account_id, ids, b->n, rows, &found));
    for (size_t i = 0; i < found; i++) {
        struct use key = {.node_id = rows[i].id};
        const struct use *u = bsearch(&key, b->uses, b->n, sizeof *b->uses, use_by_id);

        assert(u);
        rows[i].uses = u->n;
        rows[i].named = node_kind_has(rows[i].kind, KIND_USES) ? u->named : 0;
        rows[i].life.floor = node_kind_floor(rows[i].kind);
        lifecycle_touch(&rows[i].life, u->last);
    }
    if (found)
        TRY(node_write_uses(c, account_id, rows, found));
    return node_touch_store_named(c, account_id, rows, found);
}

static size_t batch_size(const struct use *u, size_t n)
{
    size_t k = 1;

    while (k < n && k < BATCH && uuid_eq(u[k].account_id, u[0].account_id))
        k++;
    return k;
}

err node_touch_flush(struct ctx *c)
{
    struct node_touches *t = c->app ? c->app->touches : NULL;
    struct use *all;
    size_t n, done = 0;
    err e = ERR_OK;

    if (!t)
        return ERR_OK;
    all = node_touch_take_all(c, t, &n);
    while (done < n && e == ERR_OK) {
        struct batch b = {all + done, batch_size(all + done, n - done)};

        e = db_tx(c, node_touch_flush_body, &b);
        if (e == ERR_OK)
            done += b.n;
    }
    put_back(c, t, all + done, n - done);
    return e;
}
