/* Values on their way into a statement. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "db_impl.h"

struct db_in db_in_i64(int64_t v)
{
    return (struct db_in){.type = DB_I64, .i64 = v};
}

struct db_in db_in_bool(bool v)
{
    return (struct db_in){.type = DB_I64, .i64 = v};
}

struct db_in db_in_double(double v)
{
    return (struct db_in){.type = DB_DOUBLE, .d = v};
}

struct db_in db_in_text(const char *s)
{
    assert(s);
    return (struct db_in){.type = DB_TEXT, .bytes = {s, strlen(s)}};
}

struct db_in db_in_bytes(struct bytes b)
{
    return (struct db_in){.type = DB_BLOB, .bytes = b};
}

struct db_in db_in_uuid(struct uuid id)
{
    return (struct db_in){.type = DB_UUID, .uuid = id};
}

struct db_in db_in_time(struct instant t)
{
    return (struct db_in){.type = DB_TIME, .time = t};
}

struct db_in db_opt_text(const char *s)
{
    return s ? db_in_text(s) : (struct db_in){0};
}

struct db_in db_opt_bytes(struct bytes b)
{
    return b.p ? db_in_bytes(b) : (struct db_in){0};
}

struct db_in db_opt_uuid(struct uuid id)
{
    return uuid_is_nil(id) ? (struct db_in){0} : db_in_uuid(id);
}

struct db_in db_opt_time(struct instant t)
{
    return t.us ? db_in_time(t) : (struct db_in){0};
}

/* The library takes pointers to what it only reads. */
static void *db_bind_readable(const void *p)
{
    return (void *)(uintptr_t)p;
}

static void bind_time(struct stmt *s, size_t i, struct instant t)
{
    struct civil v = instant_civil(t);

    if (!s->times) {
        s->times = calloc(s->n_params, sizeof *s->times);
        assert(s->times);
    }
    s->times[i] = (MYSQL_TIME){ .year = (unsigned)v.year,
                                .month = (unsigned)v.month,
                                .day = (unsigned)v.day,
                                .hour = (unsigned)v.hour,
                                .minute = (unsigned)v.minute,
                                .second = (unsigned)v.second,
                                .second_part = (unsigned long)v.us,
                                .time_type = MYSQL_TIMESTAMP_DATETIME };
    s->params[i].buffer_type = MYSQL_TYPE_DATETIME;
    s->params[i].buffer = &s->times[i];
}

static void bind_bytes(MYSQL_BIND *b, enum enum_field_types type, const void *p, size_t n)
{
    b->buffer_type = type;
    b->buffer = db_bind_readable(n ? p : "");
    b->buffer_length = n;
}

static void bind_one(struct stmt *s, size_t i, const struct db_in *in)
{
    MYSQL_BIND *b = &s->params[i];

    memset(b, 0, sizeof *b);
    switch (in->type) {
    case DB_NULL: b->buffer_type = MYSQL_TYPE_NULL; return;
    case DB_I64:
        b->buffer_type = MYSQL_TYPE_LONGLONG;
        b->buffer = db_bind_readable(&in->i64);
        return;
    case DB_DOUBLE:
        b->buffer_type = MYSQL_TYPE_DOUBLE;
        b->buffer = db_bind_readable(&in->d);
        return;
    case DB_TEXT: bind_bytes(b, MYSQL_TYPE_STRING, in->bytes.p, in->bytes.n); return;
    case DB_BLOB: bind_bytes(b, MYSQL_TYPE_BLOB, in->bytes.p, in->bytes.n); return;
    /* As 16 bytes: a UUID column takes them and uses its index; text would only be parsed again. */
    case DB_UUID: bind_bytes(b, MYSQL_TYPE_BLOB, in->uuid.b, sizeof in->uuid.b); return;
    case DB_TIME: bind_time(s, i, in->time); return;
    }
    stmt_bug(s, "a value of no known type", i);
}

void stmt_bind_in(struct stmt *s, const struct db_in *in, size_t n)
{
    if (n != s->n_params)
        stmt_bug(s, "the number of values is not the number of question marks", n);
    for (size_t i = 0; i < n; i++)
        bind_one(s, i, &in[i]);
    if (n && mysql_stmt_bind_param(s->st, s->params))
        stmt_bug(s, mysql_stmt_error(s->st), n);
}
