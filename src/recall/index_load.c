/* Reading an account for the first time, or anew: piece by piece, in the order of ids. */
#include <assert.h>
#include <stdlib.h>

#include "index_impl.h"
#include "index_pack.h"
#include "index_store.h"
#include "metrics.h"

#define NODES_AT_ONCE 500 /* their texts are held at once, twice */
#define VECTORS_AT_ONCE 500
#define EDGES_AT_ONCE 5000

static const struct metric LOAD_SECONDS = {"loci_recall_index_load_seconds", METRIC_HISTOGRAM,
                                           "time to read an account into the recall index"};

static const struct metric PACKED = {"loci_recall_index_packs_read_total", METRIC_COUNTER,
                                     "accounts that were read from a pack"};

struct loading {
    struct segment_builder *rows;
    struct edge_builder *edges;
    const struct codec *codec;
    struct uuid model_id, after;
    int64_t watermark, spent_us;
    uint64_t languages;
    struct pack_reading *pack; /* NULL: none, or read */
    struct segment *packed;    /* what was in it */
    size_t vectors;            /* of it that were read */
    enum reading { SETTINGS, NODES, VECTORS, EDGES } next;
    size_t nodes_at_once;
};

void index_load_begin(struct ctx *c, struct account_index *e)
{
    e->loading = calloc(1, sizeof *e->loading);
    assert(e->loading);
    e->loading->watermark = c->now.us;
    e->loading->nodes_at_once = NODES_AT_ONCE;
}

void index_load_abandon(struct account_index *e)
{
    if (!e->loading)
        return;
    segment_builder_free(e->loading->rows);
    edge_builder_free(e->loading->edges);
    index_pack_close(e->loading->pack);
    segment_drop(e->loading->packed);
    free(e->loading);
    e->loading = NULL;
}

size_t index_load_bytes(const struct account_index *e)
{
    const struct loading *l = e->loading;

    return l && l->rows ? segment_builder_bytes(l->rows) + index_pack_bytes(l->pack) + (l->packed ? l->packed->bytes : 0) : 0;
}

static err index_load_own_begin(struct ctx *c, struct recall_index *ri, struct loading *l)
{
    struct instant now;
    int64_t dim;

    TRY(index_store_now(c, &now));
    if (now.us < l->watermark)
        l->watermark = now.us;
    TRY(index_store_model(c, &l->model_id, &dim));
    l->codec = index_codec(ri, (size_t)dim);
    l->rows = segment_builder_new(l->codec);
    l->edges = edge_builder_new();
    TRY(index_store_languages(c, l->rows, &l->languages));
    if (l->codec)
        segment_builder_hold_vectors(l->rows);
    if (ri->options.packs && uuid_is_nil(c->model_id))
        TRY(index_pack_open(c, l->model_id, l->codec, l->languages, &l->pack));
    l->next = NODES;
    return ERR_OK;
}

static void go_on_with(struct loading *l, enum reading next)
{
    l->next = next;
    l->after = (struct uuid){{0}};
}

/* A chunk of a pack; where that is of no use, the nodes are read. */
static err read_packed(struct ctx *c, struct recall_index *ri, struct loading *l)
{
    bool done, hold;

    TRY(index_pack_read(c, l->pack, &done, &l->packed, &l->watermark));
    if (!done)
        return ERR_OK;
    index_pack_close(l->pack);
    l->pack = NULL;
    if (!l->packed)
        return ERR_OK;
    hold = l->packed->dense && l->packed->bytes + dense_vectors_size(l->packed->dense) <= index_room_for_vectors(ri);
    go_on_with(l, hold && segment_hold_vectors(l->packed) ? VECTORS : EDGES);
    return ERR_OK;
}

static err index_load_read_nodes(struct ctx *c, struct recall_index *ri, struct loading *l)
{
    struct index_row *rows = ARENA_ARRAY(c->arena, struct index_row, l->nodes_at_once);
    size_t n;

    TRY(index_store_nodes(c, l->model_id, l->after, l->nodes_at_once, rows, &n));
    for (size_t i = 0; i < n; i++)
        segment_builder_add(l->rows, &rows[i]);
    if (segment_builder_bytes(l->rows) > index_room_for_vectors(ri))
        segment_builder_drop_vectors(l->rows);
    if (n)
        l->after = rows[n - 1].id;
    if (n < l->nodes_at_once)
        go_on_with(l, EDGES);
    return ERR_OK;
}

static void put_vector(void *arg, struct uuid node_id, const float *vector, size_t dim)
{
    struct loading *l = arg;
    uint32_t row = dim == codec_dim(l->codec) ? segment_find(l->packed, node_id) : NO_ROW;

    if (row == NO_ROW || !dense_has(l->packed->dense, row))
        return;
    dense_put_vector(l->packed->dense, row, vector);
    l->vectors++;
}

/* The float32 vectors of what was packed. One that was changed since is with an old code, but its row is replaced by the look
 * that follows. That one is gone, a look does not see: then the pack is of no use. */
static err index_load_read_vectors(struct ctx *c, struct loading *l)
{
    int64_t n;

    TRY(index_store_all_vectors(c, l->model_id, l->after, VECTORS_AT_ONCE, put_vector, l, &n, &l->after));
    if (n == VECTORS_AT_ONCE)
        return ERR_OK;
    go_on_with(l, EDGES);
    if (l->vectors != dense_vectors(l->packed->dense)) {
        segment_drop(l->packed);
        l->packed = NULL;
        go_on_with(l, NODES);
    }
    return ERR_OK;
}

static err read_piece(struct ctx *c, struct recall_index *ri, struct loading *l, bool *done)
{
    int64_t n;

    *done = false;
    if (l->next == SETTINGS)
        TRY(index_load_own_begin(c, ri, l));
    if (l->pack)
        return read_packed(c, ri, l);
    if (l->next == NODES)
        return index_load_read_nodes(c, ri, l);
    if (l->next == VECTORS)
        return index_load_read_vectors(c, l);
    TRY(index_store_edges(c, l->after, EDGES_AT_ONCE, l->edges, &n, &l->after));
    *done = n < EDGES_AT_ONCE;
    return ERR_OK;
}

static void index_load_complete(struct recall_index *ri, struct account_index *e)
{
    struct loading *l = e->loading;
    struct snapshot *empty = snapshot_new(l->model_id, l->codec);
    bool packed = l->packed != NULL;
    struct snapshot_change all = {.add = l->packed ? l->packed : segment_build(l->rows), .add_edges = edge_build(l->edges)};

    index_swap(ri, e, snapshot_next(empty, &all));
    snapshot_drop(empty);
    l->packed = NULL;
    e->watermark = l->watermark;
    e->languages = l->languages;
    e->checked_us = 0;
    e->lacks_vectors = false;
    index_merge_soon(ri, e); /* cells, say */
    if (ri->metrics) {
        metrics_observe(ri->metrics, &LOAD_SECONDS, "", (double)l->spent_us / SECOND_US);
        metrics_add(ri->metrics, &PACKED, "", packed);
    }
    index_load_abandon(e);
    pthread_mutex_lock(&ri->lock);
    e->loaded_us = e->swept_us = clock_monotonic_us();
    e->sweep_mark = e->watermark;
    ri->stats.loads++;
    ri->stats.packs += packed;
    pthread_mutex_unlock(&ri->lock);
}

/* Half of a piece may have been told; nodes are told when all of theirs have been read. */
static bool is_spoiled(const struct loading *l, err r)
{
    return (r != ERR_DEADLINE && r != ERR_TOO_LARGE) || l->next != NODES || l->pack;
}

/* So many nodes are too large together: fewer are read, from the same place. */
static bool takes_fewer(struct ctx *piece, struct loading *l, err r)
{
    if (r != ERR_TOO_LARGE || is_spoiled(l, r) || l->nodes_at_once == 1)
        return false;
    l->nodes_at_once /= 2;
    ctx_forgive(piece);
    return true;
}

/* A piece has an arena of its own: what it read is forgotten before the next. None is begun that would not be done in time
 * if it took as long as the one before. */
err index_load(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t until, bool *done)
{
    int64_t began = clock_monotonic_us(), took;
    struct ctx piece = *c;
    err r = ERR_OK;

    piece.arena = index_piece_arena();
    do {
        r = read_piece(&piece, ri, e->loading, done);
        if (takes_fewer(&piece, e->loading, r))
            r = ERR_OK;
        arena_reset(piece.arena);
        took = clock_monotonic_us() - began;
        e->loading->spent_us += took;
        began += took;
    } while (r == ERR_OK && !*done && began + took < until);
    arena_free(piece.arena);
    if (r != ERR_OK) {
        *done = false;
        if (is_spoiled(e->loading, r))
            index_load_abandon(e);
        else /* for so many there is not time enough */
            e->loading->nodes_at_once = e->loading->nodes_at_once / 2 + 1;
        return fail(c, r, "the recall index could not be read");
    }
    if (*done)
        index_load_complete(ri, e);
    return ERR_OK;
}
