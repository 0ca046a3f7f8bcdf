/* Keeping an index current: what changed since the last look is read, and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "index_impl.h"
#include "index_store.h"

#define READ_AT_ONCE 500

struct ids {
    struct uuid *v;
    size_t n;
};

struct delta {
    const struct snapshot *now;
    struct ids nodes, edges;
    size_t n_rows, n_vectors; /* seen, whether news or not */
    bool other_model;         /* vectors came, and we have none */
    bool too_large;           /* to hold float32 vectors any longer */
};

static bool is_news(struct delta *d, const struct change *change)
{
    uint32_t row;
    const struct edge_row *edge;
    const struct row_times *t;
    struct row_at at;

    if (change->what == CHANGED_EDGE) {
        edge = snapshot_find_edge(d->now, change->id);
        return !edge || edge->updated != change->updated || edge->version != change->version;
    }
    if (change->what == CHANGED_VECTOR && !uuid_eq(change->model_id, d->now->model_id)) {
        d->other_model = true;
        return false;
    }
    row = snapshot_find(d->now, change->id);
    if (row == NO_ROW)
        return true;
    at = snapshot_at(d->now, row);
    t = &at.in->times[at.r];
    if (change->what == CHANGED_VECTOR)
        return t->vector_updated != change->updated;
    return t->updated != change->updated || t->version != change->version;
}

static int index_delta_by_id(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

static void index_delta_sort(struct ids *ids)
{
    size_t n = 0;

    if (ids->n)
        qsort(ids->v, ids->n, sizeof *ids->v, index_delta_by_id);
    for (size_t i = 0; i < ids->n; i++)
        if (n == 0 || !uuid_eq(ids->v[n - 1], ids->v[i]))
            ids->v[n++] = ids->v[i];
    ids->n = n;
}

static void pick(struct ctx *c, struct delta *d, const struct change *changes, size_t n)
{
    d->nodes.v = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    d->edges.v = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct ids *to = changes[i].what == CHANGED_EDGE ? &d->edges : &d->nodes;

        *(changes[i].what == CHANGED_VECTOR ? &d->n_vectors : &d->n_rows) += 1;
        if (is_news(d, &changes[i]))
            to->v[to->n++] = changes[i].id;
    }
    index_delta_sort(&d->nodes);
    index_delta_sort(&d->edges);
}

static err index_delta_read_nodes(struct ctx *c, const struct delta *d, struct segment_builder *b)
{
    uint64_t print;
    err r = d->nodes.n ? index_store_languages(c, b, &print) : ERR_OK;
    size_t at_once = READ_AT_ONCE, asked;

    for (size_t i = 0; r == ERR_OK && i < d->nodes.n; i += asked) {
        struct ctx piece = *c;
        size_t left = d->nodes.n - i, n = 0;
        struct index_row *rows;

        asked = left < at_once ? left : at_once;
        piece.arena = index_piece_arena();
        rows = ARENA_ARRAY(piece.arena, struct index_row, asked);
        r = index_store_nodes_of(&piece, d->now->model_id, d->nodes.v + i, asked, rows, &n);
        for (size_t k = 0; r == ERR_OK && k < n; k++)
            segment_builder_add(b, &rows[k]);
        arena_free(piece.arena);
        if (r == ERR_TOO_LARGE && asked > 1) { /* together: then fewer at once */
            at_once = asked / 2;
            asked = 0;
            r = ERR_OK;
        }
    }
    return r == ERR_OK ? r : fail(c, r, "changed nodes could not be read");
}

static err read_edges(struct ctx *c, const struct delta *d, struct edge_builder *b)
{
    for (size_t i = 0; i < d->edges.n; i += READ_AT_ONCE) {
        size_t left = d->edges.n - i;

        TRY(index_store_edges_of(c, d->edges.v + i, left < READ_AT_ONCE ? left : READ_AT_ONCE, b));
    }
    return ERR_OK;
}

/* Those of asked that are not there any more. */
static size_t missing(const struct ids *asked, const struct segment *s, struct uuid *out)
{
    size_t n = 0;

    for (size_t i = 0; i < asked->n; i++)
        if (!s || segment_find(s, asked->v[i]) == NO_ROW)
            out[n++] = asked->v[i];
    return n;
}

static size_t missing_edges(const struct ids *asked, const struct edge_set *s, struct uuid *out)
{
    size_t n = 0;

    for (size_t i = 0; i < asked->n; i++)
        if (!s || edge_set_find(s, asked->v[i]) == UINT32_MAX)
            out[n++] = asked->v[i];
    return n;
}

/* What becomes of a snapshot, read and cut into words: may be done beside requests. */
struct made {
    struct segment *rows;
    struct edge_set *edges;
};

static err index_delta_make(struct ctx *c, const struct delta *d, struct made *out)
{
    struct segment_builder *rows = segment_builder_new(d->now->codec);
    struct edge_builder *edges = edge_builder_new();
    err r;

    if (d->now->holds_vectors)
        segment_builder_hold_vectors(rows);
    r = index_delta_read_nodes(c, d, rows);
    if (r == ERR_OK)
        r = read_edges(c, d, edges);
    if (r == ERR_OK)
        *out = (struct made){segment_build(rows), edge_build(edges)};
    segment_builder_free(rows);
    edge_builder_free(edges);
    return r;
}

/* The caller holds busy. */
static void put_in_made(struct ctx *c, struct recall_index *ri, struct account_index *e, struct delta *d, const struct made *m)
{
    struct snapshot_change change = {.add = m->rows, .gone = ARENA_ARRAY(c->arena, struct uuid, d->nodes.n + 1), .add_edges = m->edges,
                                     .gone_edges = ARENA_ARRAY(c->arena, struct uuid, d->edges.n + 1)};
    struct snapshot *next;

    change.n_gone = missing(&d->nodes, change.add, (struct uuid *)(uintptr_t)change.gone);
    change.n_gone_edges = missing_edges(&d->edges, change.add_edges, (struct uuid *)(uintptr_t)change.gone_edges);
    next = snapshot_next(d->now, &change);
    d->too_large = next->holds_vectors && next->bytes > index_room_for_vectors(ri) / 4 * 5;
    e->applied++;
    index_swap(ri, e, next);
    index_merge_soon(ri, e);
}

static err apply(struct ctx *c, struct recall_index *ri, struct account_index *e, struct delta *d)
{
    struct made m;

    TRY(index_delta_make(c, d, &m));
    put_in_made(c, ri, e, d, &m);
    return ERR_OK;
}

static void read_anew(struct ctx *c, struct account_index *e)
{
    if (!e->loading)
        index_load_begin(c, e);
}

/* It got its first model. What is being read, for age say, may have begun without one. */
static void index_delta_wants_vectors(struct account_index *e)
{
    if (!e->lacks_vectors)
        index_load_abandon(e);
    e->lacks_vectors = true;
}

/* What the whole index was made by: its model, and the languages of its spaces. */
static err ask_settings(struct ctx *c, struct recall_index *ri, struct account_index *e, const struct snapshot *now)
{
    struct uuid model_id;
    int64_t dim;
    uint64_t languages;

    TRY(index_store_model(c, &model_id, &dim));
    TRY(index_store_languages(c, NULL, &languages));
    if (uuid_is_nil(now->model_id) && !uuid_is_nil(model_id))
        index_delta_wants_vectors(e);
    else if (!uuid_eq(model_id, now->model_id) || index_codec(ri, (size_t)dim) != now->codec || languages != e->languages)
        read_anew(c, e);
    return ERR_OK;
}

/* *asked: when that was, by the clock that is behind, so that a wrong one of two hides nothing. */
static err receive(struct ctx *c, struct delta *d, const struct db_later *later, int64_t *asked)
{
    struct change *changes;
    struct instant now;
    size_t n;

    TRY(index_store_changes(c, later, &changes, &n, &now));
    pick(c, d, changes, n);
    *asked = now.us < c->now.us ? now.us : c->now.us;
    return ERR_OK;
}

/* Changes since an instant. */
static err index_delta_own_ask(struct ctx *c, struct delta *d, struct index_since since, int64_t *asked)
{
    struct db_later later;

    index_store_ask(c, since.rows, since.vectors, &later);
    return receive(c, d, &later, asked);
}

static struct instant ago(int64_t mark, int64_t overlap)
{
    return (struct instant){mark > overlap ? mark - overlap : 0};
}

/* ---- a look, by a request ------------------------------------------------------------------------------- */

/* In a flood a request reads of the rows what changed a moment ago, or is known to have been committed late, and leaves vectors to
 * the keeper: they are looked for by nobody who has just written them. */
static struct index_since request_since(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t watermark)
{
    struct index_since s = {.rows = ago(watermark, OVERLAP_US), .vectors = ago(watermark, OVERLAP_US)};

    pthread_mutex_lock(&ri->lock);
    s.n_late = e->n_late;
    if (e->flood.rows)
        s.rows = ago(watermark, HASTY_OVERLAP_US);
    if (e->flood.vectors)
        s.vectors.us = c->now.us + DAY_US;
    if (e->late_us && e->late_us < s.rows.us)
        s.rows.us = e->late_us;
    pthread_mutex_unlock(&ri->lock);
    return s;
}

void index_delta_seen(struct recall_index *ri, struct account_index *e, const struct index_since *since)
{
    pthread_mutex_lock(&ri->lock);
    if (e->n_late == since->n_late)
        e->late_us = 0;
    pthread_mutex_unlock(&ri->lock);
}

static void notice_flood(struct recall_index *ri, struct account_index *e, const struct delta *d)
{
    if (d->n_rows <= FLOOD_ROWS && d->n_vectors <= FLOOD_ROWS)
        return;
    pthread_mutex_lock(&ri->lock);
    if (ri->keeper) {
        e->flood.rows |= d->n_rows > FLOOD_ROWS;
        e->flood.vectors |= d->n_vectors > FLOOD_ROWS;
        index_keep_wake(ri);
    }
    pthread_mutex_unlock(&ri->lock);
}

struct index_since index_delta_ask(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t watermark,
                                   struct db_later *later)
{
    struct index_since since = request_since(c, ri, e, watermark);

    index_store_ask(c, since.rows, since.vectors, later);
    return since;
}

err index_delta_any(struct ctx *c, struct recall_index *ri, struct account_index *e, struct snapshot *then, const struct db_later *later,
                    bool *any, int64_t *asked)
{
    struct ctx own = *c;
    struct delta d = {.now = then};
    err r;

    own.arena = request_arena_new();
    r = receive(&own, &d, later, asked);
    arena_free(own.arena);
    notice_flood(ri, e, &d);
    *any = d.nodes.n || d.edges.n || d.other_model;
    return r == ERR_OK ? r : fail(c, r, "the recall index could not be brought up to date");
}

static err look(struct ctx *c, struct recall_index *ri, struct account_index *e, struct delta *d)
{
    int64_t began = clock_monotonic_us(), asked;
    struct index_since since = request_since(c, ri, e, e->watermark);

    TRY(index_delta_own_ask(c, d, since, &asked));
    notice_flood(ri, e, d);
    if (d->nodes.n || d->edges.n) {
        e->changed_us = began;
        TRY(apply(c, ri, e, d));
    }
    if (d->other_model)
        TRY(ask_settings(c, ri, e, d->now));
    if (d->too_large)
        read_anew(c, e);
    index_delta_seen(ri, e, &since);
    if (asked > e->watermark)
        e->watermark = asked;
    e->checked_us = began;
    return ERR_OK;
}

err index_delta(struct ctx *c, struct recall_index *ri, struct account_index *e)
{
    struct ctx own = *c;
    struct snapshot *now = index_current(ri, e);
    struct delta d = {.now = now};
    err r;

    own.arena = request_arena_new();
    r = look(&own, ri, e, &d);
    arena_free(own.arena);
    snapshot_drop(now);
    return r == ERR_OK ? r : fail(c, r, "the recall index could not be brought up to date");
}

/* ---- the keeper ----------------------------------------------------------------------------------------- */

/* What an account was when the keeper looked; what was made then fits as long as nobody else has put anything in. */
struct kept {
    struct snapshot *then;
    uint64_t applied;
    int64_t loaded_us, watermark;
};

static struct kept kept_state(struct recall_index *ri, struct account_index *e)
{
    struct kept k;

    pthread_mutex_lock(&e->busy);
    k = (struct kept){index_current(ri, e), e->applied, e->loaded_us, e->watermark};
    pthread_mutex_unlock(&e->busy);
    return k;
}

static bool still_fits(const struct account_index *e, const struct kept *k)
{
    return e->applied == k->applied && e->loaded_us == k->loaded_us && !atomic_load(&e->replaced);
}

static err put_in_kept(struct ctx *c, struct recall_index *ri, struct account_index *e, struct delta *d, const struct kept *k)
{
    struct made m = {0};
    struct snapshot *now;
    err r = d->nodes.n || d->edges.n ? index_delta_make(c, d, &m) : ERR_OK;

    TRY(r);
    pthread_mutex_lock(&e->busy);
    d->now = now = index_current(ri, e);
    if (!now || !still_fits(e, k)) {
        segment_drop(m.rows);
        edge_set_drop(m.edges);
        r = now && (d->nodes.n || d->edges.n) ? apply(c, ri, e, d) : ERR_OK;
    } else if (d->nodes.n || d->edges.n) {
        put_in_made(c, ri, e, d, &m);
    }
    if (r == ERR_OK && now && d->other_model)
        r = ask_settings(c, ri, e, now);
    if (r == ERR_OK && now && d->too_large)
        read_anew(c, e);
    pthread_mutex_unlock(&e->busy);
    snapshot_drop(now);
    return r;
}

static void note_kept(struct recall_index *ri, struct account_index *e, const struct delta *d, bool whole, int64_t asked, int64_t began)
{
    struct index_flood *f = &e->flood;

    pthread_mutex_lock(&ri->lock);
    f->kept_mark = asked;
    if (whole) {
        f->whole_mark = asked;
        f->whole_us = began;
        f->rows = d->n_rows > FLOOD_ROWS;
        f->vectors = d->n_vectors > FLOOD_ROWS;
    }
    if (!f->rows && !f->vectors)
        *f = (struct index_flood){0};
    pthread_mutex_unlock(&ri->lock);
}

err index_delta_keep(struct ctx *c, struct recall_index *ri, struct account_index *e)
{
    struct kept k = kept_state(ri, e);
    struct delta d = {.now = k.then};
    int64_t began = clock_monotonic_us(), asked;
    struct index_flood f;
    struct instant since;
    bool whole;
    err r;

    if (!k.then)
        return ERR_OK;
    pthread_mutex_lock(&ri->lock);
    f = e->flood;
    pthread_mutex_unlock(&ri->lock);
    whole = !f.whole_us || began - f.whole_us >= INDEX_WHOLE_US;
    since = whole ? ago(f.whole_mark ? f.whole_mark : k.watermark, OVERLAP_US) : ago(f.kept_mark, HASTY_OVERLAP_US);
    r = index_delta_own_ask(c, &d, (struct index_since){since, since, 0}, &asked);
    if (r == ERR_OK)
        r = put_in_kept(c, ri, e, &d, &k);
    snapshot_drop(k.then);
    if (r == ERR_OK)
        note_kept(ri, e, &d, whole, asked, began);
    return r;
}

/* ---- sweeps --------------------------------------------------------------------------------------------- */

/* What was found is read and put in; meanwhile requests of the account wait. */
static err put_in(struct ctx *c, struct recall_index *ri, struct account_index *e, struct delta *d)
{
    struct snapshot *now;
    err r;

    pthread_mutex_lock(&e->busy);
    now = index_current(ri, e);
    r = ask_settings(c, ri, e, now);
    d->now = now;
    if (r == ERR_OK && (d->nodes.n || d->edges.n))
        r = apply(c, ri, e, d);
    if (r == ERR_OK && d->too_large)
        read_anew(c, e);
    pthread_mutex_unlock(&e->busy);
    snapshot_drop(now);
    return r;
}

/* The question takes long after many writes, so it is asked while requests go on. */
static err sweep(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t since, int64_t *asked)
{
    struct snapshot *then = index_current(ri, e);
    struct delta d = {.now = then};
    err r = index_delta_own_ask(c, &d, (struct index_since){{since > 0 ? since : 0}, {since > 0 ? since : 0}, 0}, asked);

    snapshot_drop(then);
    return r == ERR_OK ? put_in(c, ri, e, &d) : r;
}

/* The caller holds the lock. */
static struct account_index *next_sweep(struct recall_index *ri, int64_t now)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct account_index *e = ri->bucket[i]; e; e = e->next)
            if (e->current && e->asked_us > e->swept_us && now - e->swept_us >= ri->options.sweep_every_us)
                return e;
    return NULL;
}

void index_tick(struct ctx *c)
{
    struct recall_index *ri = c->app->recall;
    struct ctx own = *c;
    struct account_index *e;
    int64_t began = clock_monotonic_us(), asked, since = 0;

    pthread_mutex_lock(&ri->lock);
    e = next_sweep(ri, began);
    if (e) {
        e->users++;
        e->swept_us = began;
        since = e->sweep_mark - SWEEP_OVERLAP_US;
    }
    pthread_mutex_unlock(&ri->lock);
    if (!e)
        return;
    own.arena = request_arena_new();
    own.account_id = e->account;
    own.model_id = e->model;
    if (sweep(&own, ri, e, since, &asked) == ERR_OK) {
        pthread_mutex_lock(&ri->lock);
        e->sweep_mark = asked;
        pthread_mutex_unlock(&ri->lock);
    }
    arena_free(own.arena);
    index_let_go(ri, e);
}
