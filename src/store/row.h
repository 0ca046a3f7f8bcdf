/* Rows of things: read, listed, inserted, updated and deleted by their tables of columns (thing_table.h).
 *
 * A statement is a literal with holes that the columns fill when it is prepared:
 *   {*}        the columns that are selected
 *   {from}     the table, or what the thing is selected from; {.} its alias and a dot, if it has one
 *   {table}    the name of the table
 *   {names}    the columns that are written, {marks} a question mark for each, {sets} "column = ?" for each that can change */
#ifndef LOCI_ROW_H
#define LOCI_ROW_H

#include "db.h"
#include "page.h"
#include "thing_table.h"

#define ROW_COLUMNS_MAX 96

/* What one row is read with; made once for all rows of a statement. */
struct row_reader {
    const struct thing *thing;
    size_t n;
    const struct field *fields[ROW_COLUMNS_MAX];
    const char *texts[ROW_COLUMNS_MAX];
    bool nulls[ROW_COLUMNS_MAX];
    struct db_out outs[ROW_COLUMNS_MAX];
};
void row_reader_init(struct row_reader *r, const struct thing *t);
/* The next row of a statement that selects the columns of the thing and nothing else. */
err row_read(struct ctx *c, struct db_cursor *q, struct row_reader *r, bool *found, void *row);

#define row_query(c, q, t, sql, ...) \
    row_query_((c), (q), (t), "" sql, DB_INS_(__VA_ARGS__) + 1, DB_COUNT_(DB_INS_(__VA_ARGS__)))
/* The only row of a statement. */
#define row_one(c, t, found, row, sql, ...) \
    row_one_((c), (t), (found), (row), "" sql, DB_INS_(__VA_ARGS__) + 1, DB_COUNT_(DB_INS_(__VA_ARGS__)))
err row_query_(struct ctx *c, struct db_cursor *q, const struct thing *t, const char *sql, const struct db_in *in, size_t n_in);
err row_one_(struct ctx *c, const struct thing *t, bool *found, void *row, const char *sql, const struct db_in *in, size_t n_in);

/* Begins a statement that is put together; what is added to it has no holes. */
#define row_select(s, a, t, sql, ...) \
    row_select_((s), (a), (t), "" sql, DB_INS_(__VA_ARGS__) + 1, DB_COUNT_(DB_INS_(__VA_ARGS__)))
void row_select_(struct sql *s, struct arena *a, const struct thing *t, const char *sql, const struct db_in *in, size_t n_in);
/* Its rows, at most max. */
err row_all(struct ctx *c, const struct thing *t, struct sql *s, size_t max, struct list *out);
/* Its rows as a page of a list: the statement asks for limit + 1 of them, newest first. */
err row_page(struct ctx *c, const struct thing *t, struct sql *s, int64_t limit, struct page *out);

/* The page of the account's rows behind `before`. */
err row_list(struct ctx *c, const struct thing *t, struct uuid before, int64_t limit, struct page *out);

err row_get(struct ctx *c, const struct thing *t, struct uuid id, bool *found, void *row);
err row_insert(struct ctx *c, const struct thing *t, const void *row);
/* All columns that can change; row has its next version (field_touch). *changed 0: somebody else changed it meanwhile. */
err row_update(struct ctx *c, const struct thing *t, const void *row, int64_t *changed);
/* Where it still has the version of row. */
err row_delete(struct ctx *c, const struct thing *t, const void *row, int64_t *changed);

/* The statement with its holes filled; on the heap. */
char *row_text(const struct thing *t, const char *sql);

#endif
