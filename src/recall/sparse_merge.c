/* Several segments into one, from their postings alone: no text is read again. */
#include <stdlib.h>

#include "sparse_impl.h"

#define DEAD UINT32_MAX

/* One source as it is gone through, term by term. */
struct source {
    const struct sparse *s;
    uint32_t *row_of; /* the new number of each row, or DEAD */
    uint32_t at;      /* entry */
};

static bool is_live(const struct sparse_source *from, uint32_t row)
{
    return !from->live || bit_at(from->live, row);
}

static void sparse_merge_copy_row(const struct sparse *s, uint32_t row, struct sparse_rows *out)
{
    for (uint32_t i = s->title_at[row]; i < s->title_at[row + 1]; i++)
        rows_add_title(out, s->titles[i]);
    rows_add(out, s->lengths[row]);
}

/* Numbers the live rows of all sources. */
static void number_rows(const struct sparse_source *from, struct source *sources, size_t n, struct sparse_rows *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct sparse *s = from[i].index;

        sources[i] = (struct source){s, sparse_alloc(NULL, s->n_rows, sizeof(uint32_t)), 0};
        for (uint32_t row = 0; row < s->n_rows; row++) {
            sources[i].row_of[row] = is_live(&from[i], row) ? out->n : DEAD;
            if (is_live(&from[i], row))
                sparse_merge_copy_row(s, row, out);
        }
    }
}

/* The least term that any source stands at; NULL: all have ended. */
static const struct source *sparse_merge_least(const struct source *sources, size_t n)
{
    const struct source *best = NULL;

    for (size_t i = 0; i < n; i++)
        if (sources[i].at < sources[i].s->n_terms &&
            (!best || bytes_cmp(entry_text(sources[i].s, sources[i].at), entry_text(best->s, best->at)) < 0))
            best = &sources[i];
    return best;
}

static void copy_block(const uint32_t *row_of, const uint32_t *rows, size_t n, const uint8_t *places,
                       struct postings *p)
{
    uint32_t few[64], *many = NULL;
    bool plain;

    for (places = places_begin(places, &plain); n > 0; n--, rows++) {
        size_t have = sizeof few / sizeof *few, need = have;
        const uint8_t *end = places_read(places, plain, few, &need);
        const uint32_t *got = few;

        if (need > have) {
            got = many = sparse_alloc(many, need, sizeof *many);
            places_read(places, plain, many, &need);
        }
        places = end;
        if (row_of[*rows] == DEAD)
            continue;
        postings_row(p, row_of[*rows]);
        for (size_t i = 0; i < need; i++)
            postings_place(p, got[i]);
    }
    free(many);
}

/* Appends what a source says of its current term. */
static void copy_term(const struct source *from, struct postings *p)
{
    const struct entry *e = &from->s->entries[from->at];
    const uint8_t *data = from->s->data + e->data, *base = data + entry_blocks(e) * sizeof(struct skip);
    uint32_t rows[BLOCK_ROWS], tfs[BLOCK_ROWS];
    int64_t before = -1;

    if (e->df <= BLOCK_ROWS) {
        if (e->df == BLOCK_ROWS)
            block_rows(data, -1, rows);
        else
            block_short(data, e->df, -1, rows, tfs);
        copy_block(from->row_of, rows, e->df, block_end(data, e->df), p);
        return;
    }
    for (uint32_t done = 0; done < e->df; done += BLOCK_ROWS) {
        uint32_t n = e->df - done < BLOCK_ROWS ? e->df - done : BLOCK_ROWS;
        struct skip skip;

        memcpy(&skip, data + done / BLOCK_ROWS * sizeof skip, sizeof skip);
        if (n == BLOCK_ROWS)
            block_rows(base + skip.offset, before, rows);
        else
            block_short(base + skip.offset, n, before, rows, tfs);
        copy_block(from->row_of, rows, n, base + skip.positions, p);
        before = skip.last;
    }
}

struct sparse *sparse_merge(const struct sparse_source *from, size_t n)
{
    struct source *sources = sparse_alloc(NULL, n, sizeof *sources);
    struct postings p = {.n = 0};
    const struct source *next;
    struct sparse_rows rows = {.n = 0};
    struct maker m;

    number_rows(from, sources, n, &rows);
    maker_begin(&m, &rows);
    while ((next = sparse_merge_least(sources, n)) != NULL) {
        struct bytes text = entry_text(next->s, next->at);

        for (size_t i = 0; i < n; i++) {
            struct source *source = &sources[i];

            if (source->at < source->s->n_terms && bytes_cmp(entry_text(source->s, source->at), text) == 0) {
                copy_term(source, &p);
                source->at++;
            }
        }
        if (p.n)
            maker_term(&m, text.p, text.n, &p);
    }
    for (size_t i = 0; i < n; i++)
        free(sources[i].row_of);
    free(sources);
    postings_free(&p);
    return maker_end(&m);
}
