/* How postings are written and read: packed bits for full blocks, varints for the rest. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "sparse_impl.h"

void *sparse_alloc(void *old, size_t n, size_t size)
{
    size_t bytes;
    void *p = __builtin_mul_overflow(n, size, &bytes) ? NULL : realloc(old, bytes ? bytes : 1);

    if (!p) {
        fputs("loci: out of memory\n", stderr);
        abort();
    }
    return p;
}

uint8_t *out_reserve(struct out *o, size_t n)
{
    if (o->cap - o->n < n) {
        o->cap = (o->n + n) * 3 / 2 + 64;
        o->p = sparse_alloc(o->p, o->cap, 1);
    }
    return o->p + o->n;
}

void out_varint(struct out *o, uint64_t v)
{
    uint8_t *p = out_reserve(o, 10);

    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    o->n = (size_t)(p - o->p);
}

/* ---- packed bits: value i of width w begins at bit i * w */

static unsigned width_of(uint32_t v)
{
    return v ? 32 - (unsigned)__builtin_clz(v) : 0;
}

static void pack(struct out *o, const uint32_t *v, unsigned width)
{
    size_t bytes = BLOCK_ROWS / 8 * (size_t)width;
    uint8_t *p = out_reserve(o, bytes);
    uint64_t held = 0;
    unsigned bits = 0;

    for (unsigned i = 0; i < BLOCK_ROWS; i++) {
        held |= (uint64_t)v[i] << bits;
        for (bits += width; bits >= 8; bits -= 8, held >>= 8)
            *p++ = (uint8_t)held;
    }
    assert(bits == 0);
    o->n += bytes;
}

/* Reads up to 8 bytes past the values: a segment's data ends with as many. */
static inline uint32_t unpack(const uint8_t *p, unsigned i, unsigned width, uint64_t mask)
{
    uint64_t word;

    memcpy(&word, p + (size_t)i * width / 8, sizeof word);
    return (uint32_t)(word >> i * width % 8 & mask);
}

/* ---- blocks */

/* Frequencies of a block: least + step * value. */
struct tf_code {
    uint32_t least, step;
    unsigned width;
};

static struct tf_code tf_code_of(const uint32_t *tfs)
{
    uint32_t least = tfs[0], most = tfs[0], odd = 0;

    for (unsigned i = 1; i < BLOCK_ROWS; i++) {
        least = tfs[i] < least ? tfs[i] : least;
        most = tfs[i] > most ? tfs[i] : most;
        odd |= tfs[i] ^ tfs[0];
    }
    uint32_t step = odd & 1 ? 1 : 2;
    return (struct tf_code){least, step, width_of((most - least) / step)};
}

static void full_block_write(struct out *o, const uint32_t *rows, const uint32_t *tfs, int64_t before)
{
    uint32_t gaps[BLOCK_ROWS], codes[BLOCK_ROWS], widest = 0;
    const struct tf_code code = tf_code_of(tfs);

    for (unsigned i = 0; i < BLOCK_ROWS; i++) {
        gaps[i] = (uint32_t)(rows[i] - before - 1);
        before = rows[i];
        widest |= gaps[i];
        codes[i] = (tfs[i] - code.least) / code.step;
    }
    *out_reserve(o, 1) = (uint8_t)width_of(widest);
    o->n++;
    pack(o, gaps, width_of(widest));
    out_varint(o, (uint64_t)code.width << 1 | (code.step - 1));
    out_varint(o, code.least);
    pack(o, codes, code.width);
}

void block_write(struct out *o, const uint32_t *rows, const uint32_t *tfs, size_t n, int64_t before)
{
    if (n == BLOCK_ROWS) {
        full_block_write(o, rows, tfs, before);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        bool once = tfs[i] == FIELD_HALVES[TEXT_BODY];

        out_varint(o, (uint64_t)(rows[i] - before - 1) << 1 | once);
        if (!once)
            out_varint(o, tfs[i]);
        before = rows[i];
    }
}

/* Eight values are as many bytes as each has bits: where those are few, one word. */
#define WORD_WIDTH 8

const uint8_t *block_rows(const uint8_t *p, int64_t before, uint32_t *rows)
{
    const unsigned width = *p++;
    const uint64_t mask = (1ull << width) - 1;
    uint32_t row = (uint32_t)before;

    for (unsigned i = 0; width > WORD_WIDTH && i < BLOCK_ROWS; i++)
        rows[i] = row += 1 + unpack(p, i, width, mask);
    for (unsigned i = 0; width <= WORD_WIDTH && i < BLOCK_ROWS; i += 8) {
        uint64_t word;

        memcpy(&word, p + i / 8 * width, sizeof word);
        for (unsigned k = 0; k < 8; k++, word >>= width)
            rows[i + k] = row += 1 + (uint32_t)(word & mask);
    }
    return p + BLOCK_ROWS / 8 * (size_t)width;
}

void block_tfs(const uint8_t *p, uint32_t *tfs)
{
    const uint32_t code = varint_get(&p), least = varint_get(&p), shift = code & 1;
    const unsigned width = code >> 1;
    const uint64_t mask = (1ull << width) - 1;

    for (unsigned i = 0; width > WORD_WIDTH && i < BLOCK_ROWS; i++)
        tfs[i] = least + (unpack(p, i, width, mask) << shift);
    for (unsigned i = 0; width <= WORD_WIDTH && i < BLOCK_ROWS; i += 8) {
        uint64_t word;

        memcpy(&word, p + i / 8 * width, sizeof word);
        for (unsigned k = 0; k < 8; k++, word >>= width)
            tfs[i + k] = least + ((uint32_t)(word & mask) << shift);
    }
}

const uint8_t *block_short(const uint8_t *p, size_t n, int64_t before, uint32_t *rows, uint32_t *tfs)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v = *p & 0x7fu;

        for (unsigned shift = 7; *p++ & 0x80; shift += 7)
            v |= (uint64_t)(*p & 0x7fu) << shift;
        rows[i] = (uint32_t)(before + 1 + (int64_t)(v >> 1));
        before = rows[i];
        tfs[i] = v & 1 ? FIELD_HALVES[TEXT_BODY] : varint_get(&p);
    }
    return p;
}

const uint8_t *block_end(const uint8_t *p, size_t n)
{
    uint32_t rows[BLOCK_ROWS], tfs[BLOCK_ROWS], code;

    if (n < BLOCK_ROWS)
        return block_short(p, n, -1, rows, tfs);
    p = block_rows(p, -1, rows);
    code = varint_get(&p);
    varint_get(&p);
    return p + BLOCK_ROWS / 8 * (size_t)(code >> 1);
}

/* ---- places */

void places_write(struct out *o, const uint32_t *places, const uint32_t *counts, size_t n)
{
    size_t all = 0;
    bool plain = true;

    for (size_t i = 0; i < n; i++)
        all += counts[i];
    for (size_t i = 0; i < all; i++)
        plain &= PLACE_FIELD(places[i]) == TEXT_BODY;
    *out_reserve(o, 1) = plain;
    o->n++;
    for (size_t i = 0; i < n; i++) {
        uint32_t before = 0;

        for (uint32_t k = 0; k < counts[i]; k++, places++) {
            uint32_t step = (*places - before) >> (plain ? 2 : 0);

            out_varint(o, (uint64_t)step << 1 | (k + 1 == counts[i]));
            before = *places;
        }
    }
}

const uint8_t *places_begin(const uint8_t *p, bool *plain)
{
    *plain = *p;
    return p + 1;
}

const uint8_t *places_read(const uint8_t *p, bool plain, uint32_t *out, size_t *n)
{
    const unsigned shift = plain ? 2 : 0;
    uint32_t place = 0, v;
    size_t k = 0;

    do {
        v = varint_get(&p);
        place += v >> 1 << shift;
        if (out && k < *n)
            out[k] = place;
        k++;
    } while (!(v & 1));
    *n = k;
    return p;
}
