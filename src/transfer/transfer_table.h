/* What of an account is exported: tables in the order in which they are imported, their columns, and a row of one. */
#ifndef LOCI_TRANSFER_TABLE_H
#define LOCI_TRANSFER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "clock.h"
#include "str.h"
#include "uuid.h"

#define TRANSFER_COLUMNS_MAX 48

/* The C type of a value, behind the dash. */
enum transfer_type {
    TT_ID,       /* uuid */
    TT_TEXT,     /* text */
    TT_REF,      /* text; one that ends in an id means that thing */
    TT_INT,      /* i */
    TT_NUM,      /* d */
    TT_TIME,     /* time */
    TT_BYTES,    /* bytes */
    TT_DAY,      /* text: 2026-11-19 */
    TT_VECTOR    /* bytes of vector.h, which name their model */
};

enum transfer_part { TRANSFER_ALWAYS, TRANSFER_VECTORS, TRANSFER_AUDIT };

struct transfer_rule;

struct transfer_column {
    const char *name;
    enum transfer_type type;
    bool nullable;
    const struct transfer_rule *rule; /* NULL: the type says it all */
};

struct transfer_table {
    const char *name;
    enum transfer_part part;
    struct transfer_column *columns;
    size_t n_columns;
    size_t *key, n_key;     /* the primary key behind account_id: places in columns */
    size_t *words, n_words; /* what else says which one it is: unique, too; its key is an id then */
};

struct transfer_tables {
    struct transfer_table *v;
    size_t n;
};

struct transfer_value {
    bool is_null;
    bool is_left_out; /* the line is from before there was the column: its default */
    union {
        struct uuid uuid;
        const char *text;
        int64_t i;
        double d;
        struct instant time;
        struct bytes bytes;
    };
};

struct transfer_row {
    const struct transfer_table *table;
    struct transfer_value *v; /* one for each column */
    int64_t line;             /* where it stands in the file, from 1 */
    size_t size;              /* of that line */
};

struct transfer_left {
    const char *table, *why;
};

const struct transfer_tables *transfer_tables_read(struct arena *a);
const struct transfer_table *transfer_table_find(const struct transfer_tables *all, const char *name); /* NULL: none */
const struct transfer_column *transfer_column_find(const struct transfer_table *t, const char *name, size_t *place);
/* Ended by an empty one. */
const struct transfer_left *transfer_left_out(void);

#endif
