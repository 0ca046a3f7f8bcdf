/* One line of an export: a row of a table, or what stands before and behind them, with a checksum over all lines so far. */
#ifndef LOCI_TRANSFER_LINE_H
#define LOCI_TRANSFER_LINE_H

#include "json.h"
#include "transfer_table.h"

#define TRANSFER_FORMAT 1                     /* of the lines; a reader refuses what is newer */
#define TRANSFER_LINE_MAX (64u * 1024 * 1024) /* bytes: the longest text there is, escaped */
#define TRANSFER_SUM 16

/* SHA-256, its first half, of the sum before and the line up to its own: a line that was changed, moved or lost is known by its number. */
struct transfer_chain {
    uint8_t sum[TRANSFER_SUM];
};

struct transfer_head {
    const char *made_at, *program, *schema;
    bool with_vectors, with_audit;
};

enum transfer_line_kind { TRANSFER_HEAD, TRANSFER_ROW, TRANSFER_END };

struct transfer_line {
    enum transfer_line_kind kind;
    struct transfer_head head;
    struct transfer_row row;
    const struct json *counts; /* of the end: rows of each table */
};

/* Each ends its line. The head has no checksum: its time is all that differs between two exports of the same. */
void transfer_line_head(struct buf *out, const struct transfer_head *h);
void transfer_line_row(struct buf *out, struct transfer_chain *chain, const struct transfer_row *row);
void transfer_line_end(struct buf *out, struct transfer_chain *chain, const struct json *counts);
/* Ends the object that begins at `from` with its checksum. */
void transfer_line_close(struct buf *out, size_t from, struct transfer_chain *chain);

/* A line without its line end. NULL, or what is wrong with it, in the arena. */
const char *transfer_line_read(struct arena *a, const struct transfer_tables *tables, struct transfer_chain *chain,
                               const char *text, size_t n, struct transfer_line *out);

#endif
