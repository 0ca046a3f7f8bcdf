/* Reading and writing packed indexes; see index_pack.h. */
#include "index_pack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "index.h"
#include "index_store.h"
#include "pack_store.h"
#include "segment_pack.h"

#define CHUNK (2u << 20)

struct pack_reading {
    struct uuid generation;
    struct segment *segment;
    struct pack_list list;
    struct pack_place place;
    int64_t part, parts, watermark;
};

/* ---- reading -------------------------------------------------------------------------------------------- */

static bool index_pack_fits(const struct ctx *c, const struct pack_head *h, struct uuid model_id, const struct codec *codec,
                 uint64_t languages, struct segment_pack *meta)
{
    if (h->fingerprint != (int64_t)segment_fingerprint() || h->languages != (int64_t)languages ||
        !uuid_eq(h->model_id, model_id) || h->watermark.us < c->now.us - PACK_OLD_US || h->meta.n != sizeof *meta)
        return false;
    memcpy(meta, h->meta.p, sizeof *meta);
    return meta->has_vectors == (codec != NULL) && (!codec || meta->dense.dim == codec_dim(codec));
}

err index_pack_open(struct ctx *c, struct uuid model_id, const struct codec *codec, uint64_t languages,
                    struct pack_reading **out)
{
    struct segment_pack meta;
    struct pack_head h;
    bool found;

    *out = NULL;
    TRY(pack_store_head(c, &found, &h));
    if (!found || !index_pack_fits(c, &h, model_id, codec, languages, &meta))
        return ERR_OK;
    *out = calloc(1, sizeof **out);
    assert(*out);
    **out = (struct pack_reading){.generation = h.generation, .parts = h.parts, .watermark = h.watermark.us};
    (*out)->segment = segment_unpack(codec, &meta, &(*out)->list);
    return ERR_OK;
}

void index_pack_close(struct pack_reading *r)
{
    if (!r)
        return;
    segment_drop(r->segment);
    free(r);
}

size_t index_pack_bytes(const struct pack_reading *r)
{
    return r && r->segment ? r->segment->bytes : 0;
}

static bool index_pack_take(struct pack_reading *r, struct bytes data, int64_t checksum)
{
    if ((int64_t)pack_sum(data.p, data.n) != checksum)
        return false;
    return pack_move(&r->list, &r->place, (void *)(uintptr_t)data.p, data.n, 1) == data.n;
}

err index_pack_read(struct ctx *c, struct pack_reading *r, bool *done, struct segment **segment, int64_t *watermark)
{
    struct bytes data;
    int64_t checksum;
    bool found;

    *done = true;
    *segment = NULL;
    if (r->part < r->parts) {
        TRY(pack_store_part(c, r->generation, r->part++, &found, &data, &checksum));
        if (!found || !index_pack_take(r, data, checksum))
            return ERR_OK;
        *done = r->part == r->parts;
    }
    if (*done && r->place.piece == r->list.n) {
        *segment = r->segment;
        *watermark = r->watermark;
        r->segment = NULL;
    }
    return ERR_OK;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

err index_pack_due(struct ctx *c, int64_t from_nodes, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return pack_store_due(c, from_nodes, (int64_t)segment_fingerprint(), (struct instant){c->now.us - PACK_OLD_US / 2}, above,
                          ids, max, n);
}

static err put_parts(struct ctx *c, struct uuid generation, const struct pack_list *list, int64_t *parts)
{
    unsigned char *chunk = arena_alloc(c->arena, CHUNK);
    struct pack_place at = {0};
    size_t n;

    for (*parts = 0; (n = pack_move(list, &at, chunk, CHUNK, 0)) != 0; (*parts)++)
        TRY(pack_store_put_part(c, generation, *parts, (struct bytes){chunk, n}, (int64_t)pack_sum(chunk, n)));
    return ERR_OK;
}

static err drop_others(struct ctx *c, struct uuid generation)
{
    int64_t dropped;

    do
        TRY(pack_store_drop_others(c, generation, &dropped));
    while (dropped);
    return ERR_OK;
}

/* The chunks first: a head whose chunks are not all there would be of no use. If the head is not the one of `before` any
 * more, something was erased since this segment was read: what was written goes. */
static err index_pack_put(struct ctx *c, const struct segment *s, struct uuid before, struct pack_head *h)
{
    struct segment_pack meta;
    struct pack_list list = {.n = 0};
    struct pack_head other;
    bool index_pack_put, found;

    segment_pack(s, &meta, &list);
    h->fingerprint = (int64_t)meta.fingerprint;
    h->generation = uuid_new(c->now.us);
    h->nodes = s->n;
    h->meta = (struct bytes){&meta, sizeof meta};
    TRY(put_parts(c, h->generation, &list, &h->parts));
    TRY(pack_store_put_head(c, before, h, &index_pack_put));
    if (index_pack_put)
        return drop_others(c, h->generation);
    h->nodes = 0;
    TRY(pack_store_head(c, &found, &other));
    return drop_others(c, found ? other.generation : (struct uuid){{0}});
}

static struct segment *as_one(const struct snapshot *s)
{
    const struct segment **in = calloc(s->n_segments + 1, sizeof *in);
    const uint64_t **live = calloc(s->n_segments + 1, sizeof *live);
    struct segment *out;

    assert(in && live);
    for (size_t i = 0; i < s->n_segments; i++) {
        in[i] = s->segments[i];
        live[i] = s->live + s->base[i] / 64;
    }
    out = s->n_segments == 1 && s->n_live == in[0]->n ? segment_hold(s->segments[0])
                                                      : segment_merge(in, live, s->n_segments, DENSE_CELLS_FROM);
    free(in);
    free(live);
    return out;
}

static err write_snapshot(struct ctx *c, struct pack_head *h)
{
    const struct snapshot *s;
    const char *degraded;
    struct pack_head before;
    struct segment *one;
    bool found;
    err r;

    TRY(pack_store_claim(c, uuid_new(c->now.us)));
    TRY(pack_store_head(c, &found, &before));
    TRY(index_snapshot(c, &s, &degraded));
    index_settle(c->app->recall);
    TRY(index_snapshot(c, &s, &degraded));
    one = s->n_live ? as_one(s) : NULL;
    if (!one)
        return ERR_OK;
    h->model_id = s->model_id;
    r = found ? index_pack_put(c, one, before.generation, h) : ERR_OK;
    segment_drop(one);
    return r;
}

/* In an index of its own, which holds codes only and reads no pack: what is wrong in one is not handed down. */
err index_pack_write(struct ctx *c, int64_t *nodes)
{
    struct app app = *c->app;
    struct ctx own = *c;
    struct pack_head h = {.nodes = 0};
    struct instant now;
    uint64_t languages;
    err r;

    TRY(index_store_now(c, &now));
    TRY(index_store_languages(c, NULL, &languages));
    h.watermark.us = now.us < c->now.us ? now.us : c->now.us;
    h.languages = (int64_t)languages;
    app.recall = recall_index_new(&(struct recall_options){.simd = c->app->simd, .reload_after_us = INT64_MAX}, NULL);
    own.app = &app;
    own.arena = request_arena_new();
    own.deadline_us = 0;
    r = write_snapshot(&own, &h);
    *nodes = h.nodes;
    arena_free(own.arena);
    recall_index_free(app.recall);
    return r == ERR_OK ? r : fail(c, r, "the recall index could not be packed");
}

err index_pack_void(struct ctx *c)
{
    return pack_store_void(c, uuid_new(c->now.us));
}
