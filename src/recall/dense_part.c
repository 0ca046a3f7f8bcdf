/* The memory of a part: arrays that grow, in huge pages once they are large. */
#include "dense_part.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (2u << 20)
#define LINE 64u

/* ---- zeroed memory on a cache line, or on huge pages; size tells which */

static size_t mapped_size(size_t size)
{
    return (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* Maps a page more than it needs, and gives back what is before and after the aligned piece. */
static void *map_huge(size_t size)
{
    size_t want = mapped_size(size), spare, after;
    unsigned char *p = mmap(NULL, want + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    spare = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
    after = HUGE_PAGE - spare;
    if (spare)
        munmap(p, spare);
    if (after)
        munmap(p + spare + want, after);
    madvise(p + spare, want, MADV_HUGEPAGE); /* advice: where there are none, small pages serve */
    return p + spare;
}

static void *dense_part_zeroed(size_t size)
{
    size_t whole = (size + LINE - 1) / LINE * LINE;
    void *p;

    if (size >= HUGE_PAGE)
        return map_huge(size);
    p = aligned_alloc(LINE, whole ? whole : LINE);
    return p ? memset(p, 0, whole) : NULL;
}

static void dense_part_release(void *p, size_t size)
{
    if (p && size >= HUGE_PAGE)
        munmap(p, mapped_size(size));
    else
        free(p);
}

/* Into the larger piece, which is zeroed; from is gone. Huge pages are moved, not copied. */
static void move_memory(void *to, size_t to_size, void *from, size_t from_size, size_t used)
{
    if (from_size >= HUGE_PAGE && mapped_size(from_size) <= mapped_size(to_size) &&
        mremap(from, mapped_size(from_size), mapped_size(from_size), MREMAP_MAYMOVE | MREMAP_FIXED, to) == to)
        return;
    memcpy(to, from, used);
    dense_part_release(from, from_size);
}

/* ---- the arrays of a part */

/* One of them: where its pointer stands in the part, and its bytes for each block of rows. */
struct array {
    size_t offset, per_block;
};

enum { ARRAYS = 7 };

static size_t arrays_of(const struct dense_part *p, struct array out[ARRAYS])
{
    size_t width = codec_width(p->codec), n = 0;

    out[n++] = (struct array){offsetof(struct dense_part, bits), width / 8 * SCAN_BLOCK};
    out[n++] = (struct array){offsetof(struct dense_part, factors), sizeof(float) * SCAN_BLOCK};
    out[n++] = (struct array){offsetof(struct dense_part, bytes), width * SCAN_BLOCK};
    out[n++] = (struct array){offsetof(struct dense_part, scales), sizeof(float) * SCAN_BLOCK};
    out[n++] = (struct array){offsetof(struct dense_part, rest), width / 4 * SCAN_BLOCK};
    out[n++] = (struct array){offsetof(struct dense_part, present), sizeof(uint64_t)};
    if (p->keep == DENSE_VECTORS)
        out[n++] = (struct array){offsetof(struct dense_part, floats), sizeof(float) * codec_dim(p->codec) * SCAN_BLOCK};
    return n;
}

static void *get(const struct dense_part *p, size_t offset)
{
    void *array;

    memcpy(&array, (const char *)p + offset, sizeof array);
    return array;
}

static void set(struct dense_part *p, size_t offset, void *array)
{
    memcpy((char *)p + offset, &array, sizeof array);
}

/* Moves all arrays to larger ones, or none. */
static bool dense_part_grow(struct dense_part *p, size_t capacity)
{
    struct array arrays[ARRAYS];
    void *larger[ARRAYS];
    size_t n = arrays_of(p, arrays), made, blocks = capacity / SCAN_BLOCK, old_blocks = p->capacity / SCAN_BLOCK;

    for (made = 0; made < n; made++)
        if (!(larger[made] = dense_part_zeroed(arrays[made].per_block * blocks)))
            break;
    if (made < n) {
        while (made--)
            dense_part_release(larger[made], arrays[made].per_block * blocks);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        void *old = get(p, arrays[i].offset);

        if (old)
            move_memory(larger[i], arrays[i].per_block * blocks, old, arrays[i].per_block * old_blocks,
                        arrays[i].per_block * dense_words(p));
        set(p, arrays[i].offset, larger[i]);
    }
    p->capacity = capacity;
    return true;
}

struct dense_part *dense_part_new(const struct codec *codec, size_t expected, enum dense_keep keep)
{
    struct dense_part *p = calloc(1, sizeof *p);
    size_t blocks = expected ? (expected + SCAN_BLOCK - 1) / SCAN_BLOCK : 1;

    if (!p)
        return NULL;
    p->codec = codec;
    p->keep = keep;
    if (!dense_part_grow(p, blocks * SCAN_BLOCK)) {
        free(p);
        return NULL;
    }
    return p;
}

void dense_part_free(struct dense_part *p)
{
    struct array arrays[ARRAYS];
    size_t n;

    if (!p)
        return;
    n = arrays_of(p, arrays);
    for (size_t i = 0; i < n; i++)
        dense_part_release(get(p, arrays[i].offset), arrays[i].per_block * (p->capacity / SCAN_BLOCK));
    dense_cells_free(p->cells);
    free(p->row_of);
    free(p->slot_of);
    free(p);
}

void dense_drop_vectors(struct dense_part *p)
{
    dense_part_release(p->floats, dense_vectors_size(p));
    p->floats = NULL;
    p->keep = DENSE_CODES;
}

size_t dense_vectors_size(const struct dense_part *p)
{
    return sizeof(float) * codec_dim(p->codec) * p->capacity;
}

bool dense_hold_vectors(struct dense_part *p)
{
    assert(p->keep == DENSE_CODES);
    p->floats = dense_part_zeroed(dense_vectors_size(p));
    if (p->floats)
        p->keep = DENSE_VECTORS;
    return p->floats;
}

void dense_put_vector(struct dense_part *p, uint32_t row, const float *vector)
{
    size_t dim = codec_dim(p->codec);

    assert(row < p->n);
    memcpy(p->floats + dense_slot(p, row) * dim, vector, dim * sizeof *vector);
}

/* What is mapped stays where it is, without its end; what is small moves. */
void dense_fit(struct dense_part *p)
{
    struct array arrays[ARRAYS];
    size_t n = arrays_of(p, arrays), blocks = dense_words(p) ? dense_words(p) : 1, old_blocks = p->capacity / SCAN_BLOCK;

    for (size_t i = 0; i < n; i++) {
        size_t old = arrays[i].per_block * old_blocks, fit = arrays[i].per_block * blocks;
        unsigned char *at = get(p, arrays[i].offset);
        void *smaller;

        if (fit >= HUGE_PAGE && mapped_size(old) > mapped_size(fit)) {
            munmap(at + mapped_size(fit), mapped_size(old) - mapped_size(fit));
        } else if (fit < HUGE_PAGE && fit < old) {
            if (!(smaller = dense_part_zeroed(fit)))
                abort(); /* less than there was */
            memcpy(smaller, at, fit);
            dense_part_release(at, old);
            set(p, arrays[i].offset, smaller);
        }
    }
    p->capacity = blocks * SCAN_BLOCK;
}

enum dense_keep dense_keeps(const struct dense_part *p)
{
    return p->keep;
}

size_t dense_bytes(const struct dense_part *p)
{
    struct array arrays[ARRAYS];
    size_t n = arrays_of(p, arrays), bytes = sizeof *p + dense_cells_bytes(p->cells) + (p->cells ? 2 * p->n * sizeof *p->row_of : 0);

    for (size_t i = 0; i < n; i++) {
        size_t size = arrays[i].per_block * (p->capacity / SCAN_BLOCK);

        bytes += size >= HUGE_PAGE ? mapped_size(size) : size;
    }
    return bytes;
}

const struct codec *dense_codec(const struct dense_part *p)
{
    return p->codec;
}

size_t dense_rows(const struct dense_part *p)
{
    return p->n;
}

size_t dense_vectors(const struct dense_part *p)
{
    return p->vectors;
}

bool dense_has(const struct dense_part *p, uint32_t row)
{
    return row < p->n && p->present[row / SCAN_BLOCK] >> row % SCAN_BLOCK & 1;
}

/* ---- appending */

/* Room for one more row. */
static bool dense_part_make_room(struct dense_part *p)
{
    assert(p->n < UINT32_MAX);
    return p->n < p->capacity || dense_part_grow(p, (p->capacity + p->capacity / 2 + SCAN_BLOCK) / SCAN_BLOCK * SCAN_BLOCK);
}

/* Byte j of row r of a block is its 64·j + r th. */
static uint8_t *dense_part_bits_of(const struct dense_part *p, size_t row)
{
    return p->bits + row / SCAN_BLOCK * SCAN_BLOCK * (codec_width(p->codec) / 8) + row % SCAN_BLOCK;
}

static void mark_present(struct dense_part *p, size_t row)
{
    p->present[row / SCAN_BLOCK] |= UINT64_C(1) << row % SCAN_BLOCK;
    p->vectors++;
}

static bool encode_row(struct dense_part *p, const float *vector, size_t row)
{
    size_t columns = codec_width(p->codec) / 8;
    uint8_t bits[SCAN_COLUMNS_MAX], *to = dense_part_bits_of(p, row);
    size_t width = codec_width(p->codec);
    struct code code = {.bits = bits, .bytes = p->bytes + row * width, .rest = p->rest + row * width / 4};

    if (!codec_encode(p->codec, vector, &code))
        return false;
    for (size_t j = 0; j < columns; j++)
        to[j * SCAN_BLOCK] = bits[j];
    p->factors[row] = code.factor;
    p->scales[row] = code.scale;
    if (p->floats)
        memcpy(p->floats + row * codec_dim(p->codec), vector, codec_dim(p->codec) * sizeof *vector);
    return true;
}

bool dense_append(struct dense_part *p, const float *vector)
{
    assert(!p->cells);
    if (!dense_part_make_room(p))
        return false;
    if (vector && encode_row(p, vector, p->n))
        mark_present(p, p->n);
    p->n++;
    return true;
}

static void dense_part_copy_row(struct dense_part *p, size_t to, const struct dense_part *from, size_t slot)
{
    size_t width = codec_width(p->codec), dim = codec_dim(p->codec);
    const uint8_t *source = dense_part_bits_of(from, slot);
    uint8_t *bits = dense_part_bits_of(p, to);

    for (size_t j = 0; j < width / 8; j++)
        bits[j * SCAN_BLOCK] = source[j * SCAN_BLOCK];
    memcpy(p->bytes + to * width, from->bytes + slot * width, width);
    memcpy(p->rest + to * width / 4, from->rest + slot * width / 4, width / 4);
    p->factors[to] = from->factors[slot];
    p->scales[to] = from->scales[slot];
    if (p->floats)
        memcpy(p->floats + to * dim, from->floats + slot * dim, dim * sizeof(float));
}

bool dense_append_row(struct dense_part *p, const struct dense_part *from, uint32_t row)
{
    assert(codec_dim(p->codec) == codec_dim(from->codec) && p->keep <= from->keep && row < from->n && !p->cells);
    if (!dense_part_make_room(p))
        return false;
    if (dense_has(from, row)) {
        dense_part_copy_row(p, p->n, from, dense_slot(from, row));
        mark_present(p, p->n);
    }
    p->n++;
    return true;
}

struct dense_part *dense_reordered(const struct dense_part *from, uint32_t *row_of)
{
    struct dense_part *p = dense_part_new(from->codec, from->n, from->keep);

    if (!p)
        return NULL;
    p->slot_of = malloc((from->n + 1) * sizeof *p->slot_of);
    assert(p->slot_of);
    p->row_of = row_of;
    for (size_t slot = 0; slot < from->n; slot++) {
        p->slot_of[row_of[slot]] = (uint32_t)slot;
        if (dense_has(from, row_of[slot])) {
            dense_part_copy_row(p, slot, from, dense_slot(from, row_of[slot]));
            mark_present(p, row_of[slot]);
        }
    }
    p->n = from->n;
    return p;
}
