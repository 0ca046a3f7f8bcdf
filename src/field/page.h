/* Pages of a list: keyset cursors over time-ordered ids, the same for every list of the house. */
#ifndef LOCI_PAGE_H
#define LOCI_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"

/* What a list answers; items are structs of one type, one after the other. */
struct page {
    void *items;
    size_t n;
    const char *next_cursor; /* NULL at the end */
    bool has_more;
};

/* Where to go on: newest first, so rows with id < before (all-ones at the beginning). */
err page_begin(struct ctx *c, const char *cursor, struct uuid *before);
/* rows holds up to limit+1 rows (id_offset: of the struct uuid in each): cuts the surplus one and makes the cursor. */
void page_end(struct ctx *c, struct page *p, void *rows, size_t n, int64_t limit, size_t row_size, size_t id_offset);

#define PAGE_END(c, p, rows, n, limit, type, id_member) \
    page_end((c), (p), (rows), (n), (limit), sizeof(type), offsetof(type, id_member))

/* The same for lists in the order of a name, ascending: rows behind *after ("" at the beginning); name_offset: of the const char * in each. */
err page_begin_name(struct ctx *c, const char *cursor, const char **after);
void page_end_name(struct ctx *c, struct page *p, void *rows, size_t n, int64_t limit, size_t row_size, size_t name_offset);

#define PAGE_END_NAME(c, p, rows, n, limit, type, name_member) \
    page_end_name((c), (p), (rows), (n), (limit), sizeof(type), offsetof(type, name_member))

#endif
