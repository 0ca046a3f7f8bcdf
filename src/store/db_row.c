/* Rows on their way out of a statement. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db_impl.h"

struct db_out db_out_int(int *p)
{
    return (struct db_out){.type = DB_I64, .size = sizeof *p, .p = p};
}

struct db_out db_out_i64(int64_t *p)
{
    return (struct db_out){.type = DB_I64, .size = sizeof *p, .p = p};
}

struct db_out db_out_bool(bool *p)
{
    return (struct db_out){.type = DB_I64, .size = sizeof *p, .p = p};
}

struct db_out db_out_double(double *p)
{
    return (struct db_out){.type = DB_DOUBLE, .p = p};
}

struct db_out db_out_text(const char **p)
{
    return (struct db_out){.type = DB_TEXT, .p = p};
}

struct db_out db_out_bytes(struct bytes *p)
{
    return (struct db_out){.type = DB_BLOB, .p = p};
}

struct db_out db_out_uuid(struct uuid *p)
{
    return (struct db_out){.type = DB_UUID, .p = p};
}

struct db_out db_out_time(struct instant *p)
{
    return (struct db_out){.type = DB_TIME, .p = p};
}

struct db_out db_out_opt(struct db_out o, bool *was_null)
{
    o.nullable = true;
    o.was_null = was_null;
    return o;
}

/* ---- where the library puts a row */

static enum col_class class_of(enum enum_field_types type)
{
    switch (type) {
    case MYSQL_TYPE_NULL: return COL_NONE;
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR: return COL_INT;
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE: return COL_DOUBLE;
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL: return COL_DECIMAL;
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIMESTAMP: return COL_TIME;
    default: return COL_BYTES;
    }
}

static void bind_col(struct col *col, MYSQL_BIND *b, const MYSQL_FIELD *field)
{
    static const enum enum_field_types AS[] = {
        [COL_NONE] = MYSQL_TYPE_BLOB,      [COL_INT] = MYSQL_TYPE_LONGLONG, [COL_DOUBLE] = MYSQL_TYPE_DOUBLE,
        [COL_DECIMAL] = MYSQL_TYPE_STRING, [COL_BYTES] = MYSQL_TYPE_BLOB,   [COL_TIME] = MYSQL_TYPE_DATETIME
    };

    *col = (struct col){.class = class_of(field->type), .type = field->type};
    *b = (MYSQL_BIND){ .buffer_type = AS[col->class],
                       .buffer = &col->v,
                       .buffer_length = sizeof col->v,
                       .length = &col->len,
                       .is_null = &col->is_null,
                       .error = &col->error,
                       .is_unsigned = (field->flags & UNSIGNED_FLAG) != 0 };
}

/* Once per statement; again when the server says that a column has another type now. */
void stmt_bind_out(struct stmt *s)
{
    const MYSQL_FIELD *fields = mariadb_stmt_fetch_fields(s->st);
    bool same = s->binds[0].buffer != NULL;

    for (unsigned i = 0; same && i < s->n_cols; i++)
        same = s->cols[i].type == fields[i].type;
    if (same)
        return;
    for (unsigned i = 0; i < s->n_cols; i++)
        bind_col(&s->cols[i], &s->binds[i], &fields[i]);
    if (mysql_stmt_bind_result(s->st, s->binds))
        stmt_bug(s, mysql_stmt_error(s->st), s->n_cols);
}

/* ---- one value */

static bool db_row_fits(enum col_class class, enum db_type type)
{
    switch (class) {
    case COL_NONE: return true;
    case COL_INT: return type == DB_I64 || type == DB_DOUBLE;
    case COL_DOUBLE: return type == DB_DOUBLE;
    case COL_DECIMAL: return type == DB_I64 || type == DB_DOUBLE;
    case COL_BYTES: return type == DB_TEXT || type == DB_BLOB || type == DB_UUID;
    case COL_TIME: return type == DB_TIME;
    }
    return false;
}

/* The bytes of column i, in the arena. */
static const char *db_row_bytes_of(struct stmt *s, unsigned i, struct arena *a)
{
    struct col *col = &s->cols[i];
    char *p;

    if (col->len <= sizeof col->v.small)
        return arena_strndup(a, col->v.small, col->len);
    p = arena_alloc(a, col->len + 1);
    MYSQL_BIND b = {.buffer_type = MYSQL_TYPE_BLOB, .buffer = p, .buffer_length = col->len};
    if (mysql_stmt_fetch_column(s->st, &b, i, 0))
        stmt_bug(s, mysql_stmt_error(s->st), i);
    return p;
}

static bool set_int(const struct db_out *o, int64_t v)
{
    if (o->size == 1)
        *(bool *)o->p = v != 0;
    else if (o->size == sizeof(int64_t))
        *(int64_t *)o->p = v;
    else if (v < INT32_MIN || v > INT32_MAX)
        return false;
    else
        *(int *)o->p = (int)v;
    return true;
}

static bool set_decimal(const struct db_out *o, const struct col *col)
{
    char text[sizeof col->v.small + 1];
    int64_t v;

    snprintf(text, sizeof text, "%.*s", (int)col->len, col->v.small);
    if (o->type == DB_DOUBLE)
        return str_to_double(text, o->p);
    return str_to_i64(text, &v) && set_int(o, v);
}

/* A UUID column sends its text, a BINARY(16) its bytes. */
static bool set_uuid(struct uuid *out, const struct col *col)
{
    char text[UUID_TEXT] = {0};

    if (col->len == sizeof out->b) {
        memcpy(out->b, col->v.small, sizeof out->b);
        return true;
    }
    if (col->len != UUID_TEXT - 1)
        return false;
    memcpy(text, col->v.small, UUID_TEXT - 1);
    return uuid_parse(text, out);
}

static struct instant instant_of(const MYSQL_TIME *t)
{
    return civil_instant((struct civil){ .year = (int)t->year,
                                         .month = (int)t->month,
                                         .day = (int)t->day,
                                         .hour = (int)t->hour,
                                         .minute = (int)t->minute,
                                         .second = (int)t->second,
                                         .us = (int)t->second_part });
}

static bool db_row_set_value(struct stmt *s, unsigned i, const struct db_out *o, struct arena *a)
{
    struct col *col = &s->cols[i];

    switch (o->type) {
    case DB_I64: return col->class == COL_DECIMAL ? set_decimal(o, col) : set_int(o, col->v.i64);
    case DB_DOUBLE:
        if (col->class == COL_DECIMAL)
            return set_decimal(o, col);
        *(double *)o->p = col->class == COL_INT ? (double)col->v.i64 : col->v.d;
        return true;
    case DB_TEXT: *(const char **)o->p = db_row_bytes_of(s, i, a); return true;
    case DB_BLOB: *(struct bytes *)o->p = (struct bytes){db_row_bytes_of(s, i, a), col->len}; return true;
    case DB_UUID: return set_uuid(o->p, col);
    case DB_TIME: *(struct instant *)o->p = instant_of(&col->v.time); return true;
    case DB_NULL: break;
    }
    return false;
}

static void set_empty(const struct db_out *o)
{
    static const size_t SIZE[] = { [DB_DOUBLE] = sizeof(double),
                                   [DB_TEXT] = sizeof(char *),
                                   [DB_BLOB] = sizeof(struct bytes),
                                   [DB_UUID] = sizeof(struct uuid),
                                   [DB_TIME] = sizeof(struct instant) };

    memset(o->p, 0, o->type == DB_I64 ? o->size : SIZE[o->type]);
}

static err read_col(struct ctx *c, struct stmt *s, unsigned i, const struct db_out *o)
{
    const struct col *col = &s->cols[i];

    if (!db_row_fits(col->class, o->type))
        stmt_bug(s, "a column is not of the type that is asked for", i);
    if (col->is_null && !o->nullable)
        return fail(c, ERR_INTERNAL, "column %s is NULL in: %.300s", mariadb_stmt_fetch_fields(s->st)[i].name,
                    s->sql);
    if (o->was_null)
        *o->was_null = col->is_null;
    if (!col->is_null && col->class == COL_BYTES && !arena_takes(c->arena, col->len))
        return ctx_check_size(c);
    if (col->is_null)
        set_empty(o);
    else if (!db_row_set_value(s, i, o, c->arena))
        return fail(c, ERR_INTERNAL, "column %s does not fit its variable in: %.300s",
                    mariadb_stmt_fetch_fields(s->st)[i].name, s->sql);
    return ERR_OK;
}

/* ---- rows */

err db_row_(struct ctx *c, struct db_cursor *q, bool *found, const struct db_out *out, size_t n_out)
{
    struct stmt *s = q->stmt;
    int rc;

    assert(s);
    TRY(ctx_check_size(c));
    if (n_out != s->n_cols)
        stmt_bug(s, "the number of variables is not the number of columns", n_out);
    if (!s->st->mysql)
        return db_fault_away(c); /* another statement lost the connection meanwhile */
    rc = mysql_stmt_fetch(s->st);
    *found = rc == 0 || rc == MYSQL_DATA_TRUNCATED;
    if (rc != 0 && rc != MYSQL_NO_DATA && rc != MYSQL_DATA_TRUNCATED) {
        db_note(c->db, s->st);
        return db_fault(c, s->sql);
    }
    for (unsigned i = 0; *found && i < s->n_cols; i++)
        TRY(read_col(c, s, i, &out[i]));
    return ERR_OK;
}

err db_ids(struct ctx *c, struct db_cursor *q, struct uuid *ids, size_t max, size_t *n)
{
    size_t got = 0;

    for (bool found; got < max; got++) {
        TRY(db_row(q, c, &found, OUT(&ids[got])));
        if (!found)
            break;
    }
    *n = got;
    return ERR_OK;
}

void db_cursor_begin(struct ctx *c, struct db_cursor *q)
{
    db_cursor_done(q);
    *q = (struct db_cursor){.db = c->db, .arena = c->arena};
}

void db_cursor_done(struct db_cursor *q)
{
    if (q->stmt)
        stmt_release(q->stmt);
    q->stmt = NULL;
}
