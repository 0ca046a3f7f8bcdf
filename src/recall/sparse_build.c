/* Documents in, one after the other: what each term has said so far hangs on it in a chain of small chunks.
   */
#include <assert.h>
#include <stdlib.h>

#include "sparse_impl.h"

/* Chunks are addressed in units of 8 bytes, are twice as long as the one before them up to CHUNK_MOST, and
   end with the address of the next. */
#define UNIT 8u
#define CHUNK_MOST 1024u
#define LINK sizeof(uint32_t)

struct term {
    uint32_t text, hash;
    uint32_t last_row;
    uint32_t first;      /* chunk */
    uint32_t at;         /* the chunk being written */
    uint16_t used, size; /* of it */
    uint16_t length;
};

struct sparse_builder {
    struct term *terms;
    uint32_t *slots; /* terms + 1 by hash; 0: free */
    struct sparse_rows rows;
    struct out text, chunks;
    uint32_t n_terms, terms_cap, slot_mask;
};

struct sparse_builder *sparse_builder_new(void)
{
    struct sparse_builder *b = sparse_alloc(NULL, 1, sizeof *b);

    *b = (struct sparse_builder){.slot_mask = 1023};
    b->slots = sparse_alloc(NULL, b->slot_mask + 1, sizeof *b->slots);
    memset(b->slots, 0, (b->slot_mask + 1) * sizeof *b->slots);
    return b;
}

void sparse_builder_free(struct sparse_builder *b)
{
    if (!b)
        return;
    free(b->terms);
    free(b->slots);
    rows_free(&b->rows);
    free(b->text.p);
    free(b->chunks.p);
    free(b);
}

size_t sparse_builder_bytes(const struct sparse_builder *b)
{
    return sizeof *b + b->terms_cap * sizeof *b->terms + (b->slot_mask + 1u) * sizeof *b->slots +
           (2 * b->rows.cap + b->rows.titles_cap) * sizeof(uint32_t) + b->text.cap + b->chunks.cap;
}

/* ---- chains */

static uint32_t chunk_new(struct sparse_builder *b, uint16_t size)
{
    size_t at = b->chunks.n;

    out_reserve(&b->chunks, size);
    b->chunks.n += size;
    assert(at / UNIT < UINT32_MAX);
    return (uint32_t)(at / UNIT);
}

static void chain_byte(struct sparse_builder *b, struct term *t, uint8_t byte)
{
    if (t->used == t->size - LINK) {
        uint16_t size = t->size < CHUNK_MOST ? (uint16_t)(t->size * 2) : t->size;
        uint32_t next = chunk_new(b, size);

        memcpy(b->chunks.p + (size_t)t->at * UNIT + t->used, &next, sizeof next);
        t->at = next;
        t->used = 0;
        t->size = size;
    }
    b->chunks.p[(size_t)t->at * UNIT + t->used++] = byte;
}

static void chain_add(struct sparse_builder *b, struct term *t, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        chain_byte(b, t, (uint8_t)(v | 0x80));
    chain_byte(b, t, (uint8_t)v);
}

/* Where a chain is being read. */
struct chain {
    const struct sparse_builder *b;
    uint32_t at, end_at;
    uint16_t used, size, end_used;
};

static bool chain_more(const struct chain *c)
{
    return c->at != c->end_at || c->used < c->end_used;
}

static uint8_t chain_take(struct chain *c)
{
    if (c->used == c->size - LINK) {
        memcpy(&c->at, c->b->chunks.p + (size_t)c->at * UNIT + c->used, sizeof c->at);
        c->used = 0;
        c->size = c->size < CHUNK_MOST ? (uint16_t)(c->size * 2) : c->size;
    }
    return c->b->chunks.p[(size_t)c->at * UNIT + c->used++];
}

static uint64_t chain_read(struct chain *c)
{
    uint64_t v = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = chain_take(c);

        v |= (uint64_t)(byte & 0x7fu) << shift;
        if (!(byte & 0x80))
            return v;
    }
}

/* ---- terms */

static void more_slots(struct sparse_builder *b)
{
    b->slot_mask = b->slot_mask * 2 + 1;
    b->slots = sparse_alloc(b->slots, b->slot_mask + 1u, sizeof *b->slots);
    memset(b->slots, 0, (b->slot_mask + 1u) * sizeof *b->slots);
    for (uint32_t i = 0; i < b->n_terms; i++) {
        uint32_t at = b->terms[i].hash & b->slot_mask;

        while (b->slots[at])
            at = (at + 1) & b->slot_mask;
        b->slots[at] = i + 1;
    }
}

static struct term *term_new(struct sparse_builder *b, const struct text_term *from, uint32_t slot)
{
    struct term *t;

    if (b->n_terms == b->terms_cap) {
        b->terms_cap = b->terms_cap ? b->terms_cap * 2 : 512;
        b->terms = sparse_alloc(b->terms, b->terms_cap, sizeof *b->terms);
    }
    assert(b->text.n + from->length < UINT32_MAX);
    t = &b->terms[b->n_terms++];
    *t = (struct term){ .text = (uint32_t)b->text.n, .hash = from->hash, .length = from->length,
                        .last_row = UINT32_MAX, .size = 2 * UNIT };
    memcpy(out_reserve(&b->text, from->length), from->text, from->length);
    b->text.n += from->length;
    t->first = t->at = chunk_new(b, t->size);
    b->slots[slot] = b->n_terms;
    if (b->n_terms > b->slot_mask / 3 * 2)
        more_slots(b);
    return t;
}

static struct term *term_of(struct sparse_builder *b, const struct text_term *from)
{
    uint32_t at = from->hash & b->slot_mask;

    for (; b->slots[at]; at = (at + 1) & b->slot_mask) {
        struct term *t = &b->terms[b->slots[at] - 1];

        if (t->hash == from->hash && t->length == from->length &&
            memcmp(b->text.p + t->text, from->text, from->length) == 0)
            return t;
    }
    return term_new(b, from, at);
}

void sparse_builder_add(struct sparse_builder *b, const struct text_terms *terms)
{
    const uint32_t row = b->rows.n;
    uint32_t length = 0;

    assert(row < UINT32_MAX / 2);
    for (size_t i = 0; i < terms->n; i++) {
        const struct text_term *from = &terms->at[i];
        struct term *t = term_of(b, from);

        if (t->last_row != row) {
            chain_add(b, t, (uint64_t)(row - t->last_row - 1) << 1 | 1); /* from -1 */
            t->last_row = row;
        }
        chain_add(b, t, (uint64_t)PLACE(from->position, from->field) << 1);
        if (from->flags & (TERM_STOP | TERM_EXTRA))
            continue;
        length += FIELD_HALVES[from->field];
        if (from->field == TEXT_TITLE)
            rows_add_title(&b->rows, from->hash);
    }
    rows_add(&b->rows, length);
}

/* ---- the end */

static int compare_terms(const void *a, const void *b, void *arg)
{
    const struct sparse_builder *builder = arg;
    const struct term *one = &builder->terms[*(const uint32_t *)a];
    const struct term *two = &builder->terms[*(const uint32_t *)b];

    return bytes_cmp((struct bytes){ builder->text.p + one->text, one->length },
                     (struct bytes){ builder->text.p + two->text, two->length });
}

static uint32_t *sorted_terms(struct sparse_builder *b)
{
    uint32_t *order = sparse_alloc(NULL, b->n_terms, sizeof *order);

    for (uint32_t i = 0; i < b->n_terms; i++)
        order[i] = i;
    qsort_r(order, b->n_terms, sizeof *order, compare_terms, b);
    return order;
}

static void sparse_build_gather(const struct sparse_builder *b, const struct term *t, struct postings *p)
{
    struct chain c = {b, t->first, t->at, 0, 2 * UNIT, t->used};
    uint32_t row = UINT32_MAX;

    while (chain_more(&c)) {
        uint64_t v = chain_read(&c);

        if (v & 1)
            postings_row(p, row += (uint32_t)(v >> 1) + 1);
        else
            postings_place(p, (uint32_t)(v >> 1));
    }
}

struct sparse *sparse_builder_finish(struct sparse_builder *b)
{
    uint32_t *order = sorted_terms(b);
    struct postings p = {.n = 0};
    struct maker m;

    maker_begin(&m, &b->rows);
    for (uint32_t i = 0; i < b->n_terms; i++) {
        const struct term *t = &b->terms[order[i]];

        sparse_build_gather(b, t, &p);
        maker_term(&m, (const char *)b->text.p + t->text, t->length, &p);
    }
    postings_free(&p);
    free(order);
    sparse_builder_free(b);
    return maker_end(&m);
}
