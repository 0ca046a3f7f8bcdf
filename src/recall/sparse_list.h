/* Lists of postings of one segment as a search reads them: of one term where they lie, or put together for
   a clause. */
#ifndef LOCI_SPARSE_LIST_H
#define LOCI_SPARSE_LIST_H

#include "sparse_impl.h"

/* Which rows a clause matches, and how often. */
struct list {
    const struct sparse *s;
    uint32_t n;               /* rows */
    uint32_t entry;           /* the only term in it, or NO_ENTRY */
    const struct skip *skips; /* of a term in several blocks; NULL: all of it is in rows and tfs */
    const uint8_t *blocks;
    uint32_t *rows, *tfs;
    uint32_t most; /* frequency, where there are no skips */
};

static inline uint32_t list_blocks(const struct list *l)
{
    return (l->n + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

/* The last row of a block. */
static inline uint32_t list_last(const struct list *l, uint32_t block)
{
    if (l->skips)
        return l->skips[block].last;
    return l->rows[l->n - block * BLOCK_ROWS <= BLOCK_ROWS ? l->n - 1 : (block + 1) * BLOCK_ROWS - 1];
}

/* The rows that c matches in s. */
struct list list_of_clause(struct arena *a, const struct sparse *s, const struct sparse_clause *c);

/* How many of its rows are in a bitmap (NULL: all). */
uint64_t list_count(const struct list *l, const uint64_t *rows);

/* A place in a list, moving forward. */
struct cursor {
    const struct list *l;
    uint32_t block, n_blocks;
    uint32_t i, n; /* within the block; n is 0 as long as it has not been read */
    const uint32_t *rows, *tfs;
    const uint8_t *packed_tfs; /* NULL: tfs are read */
    uint64_t bound;            /* what the block can give, once somebody has worked it out; else 0 */
    uint32_t row_buf[BLOCK_ROWS], tf_buf[BLOCK_ROWS];
};

void cursor_open(struct cursor *c, const struct list *l);
void cursor_load(struct cursor *c); /* reads the rows of the block */
void cursor_next_block(struct cursor *c);
/* To the block that row is in, or would be; false: all are before it. */
bool cursor_to_block(struct cursor *c, uint32_t row);
bool cursor_seek_far(struct cursor *c, uint32_t row);

#define SEEK_TRIES 8

/* To the first row that is not less, whose block is read then; false: there is none. Mostly it is one of the next. */
static inline bool cursor_seek(struct cursor *c, uint32_t row)
{
    if (c->n && c->rows[c->n - 1] >= row)
        for (unsigned tries = 0; tries < SEEK_TRIES; tries++, c->i++)
            if (c->rows[c->i] >= row)
                return true;
    return cursor_seek_far(c, row);
}

static inline bool cursor_ended(const struct cursor *c)
{
    return c->block == c->n_blocks;
}

static inline uint32_t cursor_row(const struct cursor *c)
{
    return c->rows[c->i];
}

static inline const uint32_t *cursor_tfs(struct cursor *c)
{
    if (c->packed_tfs) {
        block_tfs(c->packed_tfs, c->tf_buf);
        c->packed_tfs = NULL;
    }
    return c->tfs;
}

static inline uint32_t cursor_tf(struct cursor *c)
{
    return cursor_tfs(c)[c->i];
}

/* Where the terms of a word stand in a row. */
struct placer;

struct placer *placer_new(struct arena *a, const struct sparse *s, uint32_t entry);
/* The places in row, ascending; rows must come in ascending order. Lives until the next call. 0: not in
   this row. */
size_t placer_at(struct placer *p, uint32_t row, const uint32_t **places);

/* All postings of one term. */
struct list list_of_entry(struct arena *a, const struct sparse *s, uint32_t entry);

/* The entries that a word stands for. */
struct entries {
    uint32_t *at;
    size_t n, cap;
};
struct entries entries_of_word(struct arena *a, const struct sparse *s, const struct sparse_word *w);
/* The rows that any of the entries is in, in titles only or anywhere. */
struct list list_of_entries(struct arena *a, const struct sparse *s, const struct entries *e, bool title);
/* The rows where the words stand one after the other. */
struct list list_of_phrase(struct arena *a, const struct sparse *s, const struct sparse_clause *c);

#endif
