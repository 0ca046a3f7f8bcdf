/* SQL of exports and imports: rows of any table, by the list of tables. */
#ifndef LOCI_TRANSFER_STORE_H
#define LOCI_TRANSFER_STORE_H

#include "ctx.h"
#include "transfer_table.h"

/* The next transaction of this thread sees one state of the database from its first read on. */
err transfer_store_one_state(struct ctx *c);
/* What tells one state of the account from a later one: its newest audit event. */
err transfer_store_mark(struct ctx *c, struct uuid *mark);
/* A run that a pool was made for and that is not there; NULL: none. */
err transfer_store_missing_run(struct ctx *c, const char **run_id);
err transfer_store_schema(struct ctx *c, const char **name);

/* At most limit rows of the account behind `after` (NULL: from the first) in the order of the key. */
err transfer_store_page(struct ctx *c, const struct transfer_table *t, const struct transfer_value *after, int64_t limit,
                        struct transfer_row *rows, size_t *n);

err transfer_store_any(struct ctx *c, const struct transfer_table *t, bool *any);
/* All rows that the account has in the table. */
err transfer_store_clear(struct ctx *c, const struct transfer_table *t);
err transfer_store_insert(struct ctx *c, const struct transfer_row *rows, size_t n);
err transfer_store_account(struct ctx *c, const struct transfer_row *row);
/* there[i]: the account has a row with the key of rows[i]. */
err transfer_store_have_keys(struct ctx *c, const struct transfer_row *rows, size_t n, bool *there);
/* under[i]: the id under which the account has the thing that rows[i] names in words; nil: it has none. */
err transfer_store_have_words(struct ctx *c, const struct transfer_row *rows, size_t n, struct uuid *under);

bool transfer_value_eq(enum transfer_type type, const struct transfer_value *a, const struct transfer_value *b);

#endif
