/* Reading lists: block by block, forward only. */
#include "sparse_list.h"

static void enter_block(struct cursor *c)
{
    c->i = c->n = 0;
    c->bound = 0;
}

void cursor_open(struct cursor *c, const struct list *l)
{
    c->l = l;
    c->block = 0;
    c->n_blocks = list_blocks(l);
    enter_block(c);
}

void cursor_next_block(struct cursor *c)
{
    c->block++;
    enter_block(c);
}

void cursor_load(struct cursor *c)
{
    const struct list *l = c->l;
    const uint32_t from = c->block * BLOCK_ROWS;
    const int64_t before = c->block ? (int64_t)list_last(l, c->block - 1) : -1;

    if (c->n)
        return;
    c->n = l->n - from < BLOCK_ROWS ? l->n - from : BLOCK_ROWS;
    c->packed_tfs = NULL;
    if (!l->skips) {
        c->rows = l->rows + from;
        c->tfs = l->tfs + from;
        return;
    }
    c->rows = c->row_buf;
    c->tfs = c->tf_buf;
    if (c->n == BLOCK_ROWS)
        c->packed_tfs = block_rows(l->blocks + l->skips[c->block].offset, before, c->row_buf);
    else
        block_short(l->blocks + l->skips[c->block].offset, c->n, before, c->row_buf, c->tf_buf);
}

bool cursor_to_block(struct cursor *c, uint32_t row)
{
    uint32_t from = c->block, step = 1;

    if (cursor_ended(c) || list_last(c->l, from) >= row)
        return !cursor_ended(c);
    /* The blocks up to from end before row; how far ahead is the first that does not? */
    while (from + step < c->n_blocks && list_last(c->l, from + step) < row) {
        from += step;
        step *= 2;
    }
    uint32_t to = from + step < c->n_blocks ? from + step : c->n_blocks;
    while (from + 1 < to) {
        uint32_t middle = from + (to - from) / 2;

        if (list_last(c->l, middle) < row)
            from = middle;
        else
            to = middle;
    }
    c->block = to;
    enter_block(c);
    return !cursor_ended(c);
}

bool cursor_seek_far(struct cursor *c, uint32_t row)
{
    uint32_t from, to;

    if (!cursor_to_block(c, row))
        return false;
    cursor_load(c);
    for (unsigned tries = 0; tries < SEEK_TRIES; tries++, c->i++)
        if (c->rows[c->i] >= row)
            return true;
    from = c->i;
    to = c->n - 1; /* its last row is not less */
    while (from < to) {
        uint32_t middle = (from + to) / 2;

        if (c->rows[middle] < row)
            from = middle + 1;
        else
            to = middle;
    }
    c->i = from;
    return true;
}

uint64_t list_count(const struct list *l, const uint64_t *rows)
{
    struct cursor c;
    uint64_t n = 0;

    for (cursor_open(&c, l); !cursor_ended(&c); cursor_next_block(&c)) {
        cursor_load(&c);
        for (uint32_t i = 0; i < c.n; i++)
            n += !rows || bit_at(rows, c.rows[i]);
    }
    return n;
}
