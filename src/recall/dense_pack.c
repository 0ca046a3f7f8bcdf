/* A part as a list of its arrays, and back. Float32 vectors are not among them. */
#include <stdlib.h>

#include "dense_part.h"

static void dense_pack_list_arrays(const struct dense_part *p, struct pack_list *out)
{
    size_t blocks = dense_words(p), rows = blocks * SCAN_BLOCK, width = codec_width(p->codec);
    const struct dense_cells *c = p->cells;

    pack_add(out, p->bits, rows * width / 8);
    pack_add(out, p->factors, rows * sizeof *p->factors);
    pack_add(out, p->bytes, rows * width);
    pack_add(out, p->scales, rows * sizeof *p->scales);
    pack_add(out, p->rest, rows * width / 4);
    pack_add(out, p->present, blocks * sizeof *p->present);
    if (!c)
        return;
    pack_add(out, p->row_of, p->n * sizeof *p->row_of);
    pack_add(out, p->slot_of, p->n * sizeof *p->slot_of);
    pack_add(out, c->first, (c->n + 1u) * sizeof *c->first);
    pack_add(out, c->bytes, c->n * c->width);
    pack_add(out, c->scales, c->n * sizeof *c->scales);
    pack_add(out, c->bits, dense_cells_slots(c) * c->width / 8);
    pack_add(out, c->factors, c->n * sizeof *c->factors);
    pack_add(out, c->lean, c->n * sizeof *c->lean);
    pack_add(out, c->aside, c->n * sizeof *c->aside);
}

void dense_pack(const struct dense_part *p, struct dense_pack *meta, struct pack_list *out)
{
    *meta = (struct dense_pack){ .rows = (uint32_t)p->n, .vectors = (uint32_t)p->vectors,
                                 .dim = (uint32_t)codec_dim(p->codec) };
    if (p->cells) {
        meta->cells = p->cells->n;
        meta->reach = p->cells->reach;
        meta->reach_exact = p->cells->reach_exact;
    }
    dense_pack_list_arrays(p, out);
}

struct dense_part *dense_unpack(const struct codec *codec, const struct dense_pack *meta, struct pack_list *out)
{
    struct dense_part *p = dense_part_new(codec, meta->rows, DENSE_CODES);

    assert(p && codec_dim(codec) == meta->dim);
    p->n = meta->rows;
    p->vectors = meta->vectors;
    if (meta->cells) {
        p->cells = dense_cells_new(meta->cells, codec_width(codec));
        p->cells->reach = meta->reach;
        p->cells->reach_exact = meta->reach_exact;
        p->row_of = calloc(p->n + 1, sizeof *p->row_of);
        p->slot_of = calloc(p->n + 1, sizeof *p->slot_of);
        assert(p->row_of && p->slot_of);
    }
    dense_pack_list_arrays(p, out);
    return p;
}
