/* The trie of the vocabulary: built once when the model is packed, walked for every text. */
#include "vocabulary.h"

#include <math.h>
#include <string.h>
#include <utf8proc.h>

static size_t vocabulary_slot_of(uint32_t node, uint32_t code_point)
{
    return ((node << 16 | code_point) * UINT32_C(2654435761)) >> 16;
}

uint16_t vocabulary_step(const struct vocabulary *v, uint16_t node, uint32_t code_point)
{
    if (code_point > UINT16_MAX)
        return 0;
    for (size_t s = vocabulary_slot_of(node, code_point);; s = (s + 1) % VOCABULARY_SLOTS) {
        const struct vocabulary_edge *e = &v->edges[s];

        if (e->to == 0 || (e->from == node && e->over == code_point))
            return e->to;
    }
}

static uint16_t step_or_grow(struct vocabulary *v, uint16_t node, uint32_t code_point)
{
    size_t s = vocabulary_slot_of(node, code_point);
    uint16_t to = vocabulary_step(v, node, code_point);

    if (to || v->n_nodes == VOCABULARY_NODES)
        return to;
    while (v->edges[s].to)
        s = (s + 1) % VOCABULARY_SLOTS;
    to = (uint16_t)v->n_nodes++;
    v->edges[s] = (struct vocabulary_edge){.from = node, .over = (uint16_t)code_point, .to = to};
    v->n_edges++;
    return to;
}

/* Of two pieces that are spelled alike the later one counts. */
static bool vocabulary_add_piece(struct vocabulary *v, uint16_t id, const char *text)
{
    const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)text;
    uint16_t node = 0;
    int length = 0;

    for (; *p; length++) {
        utf8proc_int32_t code_point;
        utf8proc_ssize_t n = utf8proc_iterate(p, -1, &code_point);

        if (n <= 0 || code_point > UINT16_MAX)
            return false;
        node = step_or_grow(v, node, (uint32_t)code_point);
        if (!node)
            return false;
        p += n;
    }
    v->piece[node] = id;
    return length > 0 && length <= PIECE_MAX;
}

bool vocabulary_build(struct arena *a, const struct json *pieces, struct vocabulary *out, const char **why)
{
    uint16_t id = 0;

    memset(out, 0, sizeof *out);
    out->n_nodes = 1;
    for (const struct json *row = pieces ? pieces->first : NULL; row; row = row->next, id++) {
        const struct json *text = row->first, *score = text ? text->next : NULL;

        if (id == MODEL_PIECES || !json_is(text, JSON_STR) || !score) {
            *why = arena_printf(a, "row %u is not one of %d pairs of a text and a score", (unsigned)id, MODEL_PIECES);
            return false;
        }
        /* a few scores are null; the reference computes with 0 there */
        out->score[id] = json_number(score);
        if (id >= PIECE_FIRST && !vocabulary_add_piece(out, id, text->s)) {
            *why = arena_printf(a, "piece %u ('%s') does not fit the trie", (unsigned)id, text->s);
            return false;
        }
    }
    if (id != MODEL_PIECES)
        *why = arena_printf(a, "%u pieces instead of %d", (unsigned)id, MODEL_PIECES);
    return id == MODEL_PIECES;
}

bool vocabulary_is_sound(const struct vocabulary *v)
{
    size_t used = 0;

    if (v->n_nodes == 0 || v->n_nodes > VOCABULARY_NODES)
        return false;
    for (size_t i = 0; i < VOCABULARY_SLOTS; i++) {
        used += v->edges[i].to != 0;
        if (v->edges[i].to >= v->n_nodes)
            return false;
    }
    for (size_t i = 0; i < VOCABULARY_NODES; i++)
        if (v->piece[i] >= MODEL_PIECES)
            return false;
    for (size_t i = 0; i < MODEL_PIECES; i++)
        if (!isfinite(v->score[i]))
            return false;
    return used == v->n_edges && used <= VOCABULARY_SLOTS / 2;
}
