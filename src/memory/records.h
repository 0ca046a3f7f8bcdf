/* Records of a file, one after the other, whatever its format: JSON lines, a JSON list, or CSV. */
#ifndef LOCI_RECORDS_H
#define LOCI_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "enumx.h"

#define RECORD_BYTES (1024 * 1024) /* of one record */
#define RECORD_CELLS 64            /* of a row of CSV */

#define RECORD_FORMAT(X) X(RECORDS_JSONL, "jsonl") X(RECORDS_JSON, "json") X(RECORDS_CSV, "csv")
ENUMX_DECLARE(record_format, RECORD_FORMAT);

struct record {
    int64_t line;      /* where it begins, from 1 */
    const char *fault; /* what is wrong with it as a whole; NULL: nothing */
    const char *text;  /* JSON; NULL: a row of CSV */
    size_t n;
    const char *const *cells; /* of a row: as many as there are names, or more, or fewer */
    size_t n_cells;
};

struct records;

/* NULL: the file cannot be opened. It closes with the arena, which holds one record at a time. */
struct records *records_open(struct arena *a, const char *path, enum record_format format);
/* The next one, valid until the next call; false at the end, or after a fault that leaves no way to go on. Empty lines are none. */
bool records_next(struct records *r, struct record *out);
/* CSV: the first row, read when the file is opened. */
const char *const *records_names(const struct records *r, size_t *n);

#endif
