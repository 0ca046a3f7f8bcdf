/* Shared by the files of sparse: how postings lie in memory, and how lists of them are read. */
#ifndef LOCI_SPARSE_IMPL_H
#define LOCI_SPARSE_IMPL_H

#include <stdatomic.h>
#include <string.h>

#include "sparse.h"

#define BLOCK_ROWS 128

/* Frequencies and lengths are counted in halves, so that a tag's 1.5 is a whole number. */
#define HALVES 2
static const uint32_t FIELD_HALVES[TEXT_FIELDS] = {[TEXT_BODY] = 2, [TEXT_TITLE] = 4, [TEXT_TAGS] = 3};

/* BM25 with a pseudo-length: tf / (tf + K1 · (length + LENGTH) / (mean + LENGTH)). Where texts are short on the mean their lengths
   hardly count, where they are long nearly as they are. */
#define SPARSE_K1 0.9
#define SPARSE_LENGTH 30.0

/* A point that no posting of its class lies above: no greater frequency, no smaller length. A frequency of
   POINT_MAX stands for any. */
#define POINT_MAX 0xffffu
struct point {
    uint16_t tf, length;
};

/* What is known of a block before it is read. Its postings are in two classes, so that one long text that
   says a word often does not make all others look good; the second may be empty (tf 0). */
struct skip {
    uint32_t last;      /* row */
    uint32_t offset;    /* of the block, from the end of the term's skips */
    uint32_t positions; /* likewise */
    struct point best[2];
};

/* data: BLOCK_ROWS postings or fewer: a short block and its positions. More: skips, 4-byte aligned, the
   blocks (the last one short), the positions of each. */
struct entry {
    uint64_t data;
    uint32_t text; /* where its text begins; ends where the next one's begins */
    uint32_t df;
};

struct sparse {
    uint32_t n_rows, n_terms;
    uint64_t length;       /* of all rows, in halves */
    uint32_t *lengths;     /* of rows, in halves */
    uint32_t *title_at;    /* of row r: titles[title_at[r]] … titles[title_at[r + 1]] */
    uint32_t *titles;      /* hashes of the different words of titles, ascending in each */
    struct entry *entries; /* by text, and one more that ends the last */
    uint32_t *slots;       /* entries + 1 by hash; 0: free */
    uint32_t slot_mask;
    char *text;
    uint8_t *data;
    struct scopes *scopes; /* the only thing that changes; see sparse_scope.c */
    size_t bytes;
};

/* Of a bitmap of rows. */
static inline size_t sparse_words(const struct sparse *s)
{
    return (s->n_rows + 63) / 64;
}

static inline bool bit_at(const uint64_t *bits, uint32_t row)
{
    return bits[row / 64] >> row % 64 & 1;
}

static inline uint32_t entry_blocks(const struct entry *e)
{
    return (e->df + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

/* Order of the dictionary: by bytes, a beginning before what it begins. */
static inline int bytes_cmp(struct bytes a, struct bytes b)
{
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

    return order ? order : (a.n > b.n) - (a.n < b.n);
}

#define NO_ENTRY UINT32_MAX
uint32_t sparse_find(const struct sparse *s, const char *text, size_t n); /* NO_ENTRY if there is none */
/* The first that is not less. */
uint32_t sparse_find_from(const struct sparse *s, const char *text, size_t n);
static inline struct bytes entry_text(const struct sparse *s, uint32_t e)
{
    return (struct bytes){s->text + s->entries[e].text, s->entries[e + 1].text - s->entries[e].text};
}

/* ---- scopes that are kept (sparse_scope.c) */
struct scopes *scopes_new(void);
void scopes_free(struct scopes *all);
size_t scopes_bytes(const struct sparse *s); /* as much as they may come to take */

/* Bytes behind data that may be read, and mean nothing. */
#define SPARSE_AHEAD 16

/* ---- bytes (sparse_code.c) */

/* Bytes being written. */
struct out {
    uint8_t *p;
    size_t n, cap;
};
void *sparse_alloc(void *old, size_t n, size_t size); /* realloc that does not fail */
uint8_t *out_reserve(struct out *o, size_t n);
void out_varint(struct out *o, uint64_t v);

static inline uint32_t varint_get(const uint8_t **p)
{
    const uint8_t *s = *p;
    uint32_t v = *s & 0x7fu;

    for (unsigned shift = 7; *s++ & 0x80; shift += 7)
        v |= (uint32_t)(*s & 0x7fu) << shift;
    *p = s;
    return v;
}

/* n postings, the first row greater than before (-1 in front of all). A full block is packed in bits, a
   short one in varints. */
void block_write(struct out *o, const uint32_t *rows, const uint32_t *tfs, size_t n, int64_t before);
/* Rows of a full block; returns where its frequencies are, for block_tfs(). */
const uint8_t *block_rows(const uint8_t *p, int64_t before, uint32_t *rows);
void block_tfs(const uint8_t *p, uint32_t *tfs);
/* A block of less than BLOCK_ROWS; returns its end. */
const uint8_t *block_short(const uint8_t *p, size_t n, int64_t before, uint32_t *rows, uint32_t *tfs);

/* Where a word stands in a row. Words that follow each other in a field are PLACE_STEP apart. */
#define PLACE(position, field) ((uint32_t)(position) << 2 | (uint32_t)(field))
#define PLACE_FIELD(place) ((place)&3u)
#define PLACE_STEP 4u

/* The end of the only block of a term, whose places are there. */
const uint8_t *block_end(const uint8_t *p, size_t n);

/* The places of one block's postings: counts[i] of them for the i-th, in ascending order. */
void places_write(struct out *o, const uint32_t *places, const uint32_t *counts, size_t n);
/* Begins a block's places: *plain belongs to the block, returns where the first posting's are. */
const uint8_t *places_begin(const uint8_t *p, bool *plain);
/* Reads one posting's places, the first *n of them into out (NULL: none); *n becomes how many there are.
   Returns their end. */
const uint8_t *places_read(const uint8_t *p, bool plain, uint32_t *out, size_t *n);

/* ---- making (sparse_make.c): postings of terms in ascending order become a segment */

struct maker {
    struct sparse *s;
    struct out data, text;
    size_t entries_cap;
    struct out skips; /* of the term being written */
    struct out blocks, positions;
};

/* One term's postings. places: those of the first row, then of the second, as counts say. */
struct postings {
    uint32_t *rows, *tfs, *counts, *places;
    size_t n, n_places, cap, places_cap;
};
void postings_row(struct postings *p, uint32_t row);     /* the next row */
void postings_place(struct postings *p, uint32_t place); /* one more of its places */
void postings_free(struct postings *p);

/* What is known of rows beside their postings; becomes the segment's. */
struct sparse_rows {
    uint32_t *lengths, *title_at, *titles; /* as in struct sparse */
    uint32_t n, cap, n_titles, titles_cap;
};
/* The next row; its title's words are those added since the one before. */
void rows_add(struct sparse_rows *r, uint32_t length);
void rows_add_title(struct sparse_rows *r, uint32_t hash);
void rows_free(struct sparse_rows *r);

void maker_begin(struct maker *m, struct sparse_rows *rows);
void maker_term(struct maker *m, const char *text, size_t n, struct postings *p);
struct sparse *maker_end(struct maker *m);

#endif
