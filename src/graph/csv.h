/* Comma-separated values (RFC 4180) that no spreadsheet runs. */
#ifndef LOCI_CSV_H
#define LOCI_CSV_H

#include <stdbool.h>

#include "str.h"

/* One cell, quoted where it must be; what begins like a formula (= + - @, tab, return) gets an apostrophe in front. */
void csv_cell(struct buf *b, const char *text, bool is_first);
void csv_end(struct buf *b); /* end of the row */

#endif
