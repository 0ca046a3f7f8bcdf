/* Fuzzes the lines of an import: any bytes are a line or are not; what is read as a row is written as a line that reads as the
   same row. Each line is tried as it is, and with a checksum that fits. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "transfer_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_whole(const struct transfer_row *row)
{
    for (size_t i = 0; i < row->table->n_columns; i++)
        if (row->v[i].is_left_out)
            return false;
    return true;
}

static const char *written(struct arena *a, const struct transfer_row *row, size_t *n)
{
    struct transfer_chain chain = {{0}};
    struct buf b;

    buf_init(&b, a, 256);
    transfer_line_row(&b, &chain, row);
    *n = b.len - 1; /* without its line end */
    return buf_str(&b);
}

static void again(struct arena *a, const struct transfer_tables *tables, const struct transfer_row *row)
{
    struct transfer_chain chain = {{0}};
    struct transfer_line line;
    size_t n, m;
    const char *first = written(a, row, &n), *second;

    assert(!transfer_line_read(a, tables, &chain, first, n, &line) && line.kind == TRANSFER_ROW);
    second = written(a, &line.row, &m);
    assert(n == m && memcmp(first, second, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(64u << 20);
    const struct transfer_tables *tables = transfer_tables_read(a);
    struct transfer_chain chain = {{0}}, fits = {{0}};
    struct transfer_line line;
    struct buf b;

    buf_init(&b, a, size + 64);
    buf_add(&b, data, size);
    (void)!transfer_line_read(a, tables, &chain, buf_str(&b), size, &line);
    if (size && data[size - 1] == '}') {
        transfer_line_close(&b, 0, &fits);
        chain = (struct transfer_chain){{0}};
        if (!transfer_line_read(a, tables, &chain, b.data, b.len - 1, &line) && line.kind == TRANSFER_ROW && is_whole(&line.row))
            again(a, tables, &line.row);
    }
    arena_free(a);
    return 0;
}
