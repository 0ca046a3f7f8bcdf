/* Statements put together from literals, with their values alongside. */
#include <assert.h>
#include <string.h>

#include "db_impl.h"

void sql_init(struct sql *s, struct arena *a)
{
    *s = (struct sql){.arena = a};
    buf_init(&s->text, a, 256);
}

static void sql_add_value(struct sql *s, struct db_in in)
{
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 16;
        struct db_in *more = ARENA_ARRAY(s->arena, struct db_in, cap);

        if (s->n)
            memcpy(more, s->in, s->n * sizeof *more);
        s->in = more;
        s->cap = cap;
    }
    assert(s->n < SQL_PARAMS_MAX);
    s->in[s->n++] = in;
}

void sql_add_(struct sql *s, const char *text, const struct db_in *in, size_t n_in)
{
    buf_puts(&s->text, text);
    for (size_t i = 0; i < n_in; i++)
        sql_add_value(s, in[i]);
}

/* Powers of two up to 4096, multiples of it from there on. */
static size_t padded(size_t n)
{
    size_t to = 1;

    if (n > 4096)
        return (n + 4095) / 4096 * 4096;
    while (to < n)
        to *= 2;
    return to;
}

void sql_add_in_uuids_(struct sql *s, const char *head, const struct uuid *ids, size_t n)
{
    size_t to = padded(n);

    if (n == 0) {
        buf_puts(&s->text, " AND 0");
        return;
    }
    if (to > SQL_PARAMS_MAX - s->n)
        to = n;
    buf_puts(&s->text, head);
    for (size_t i = 0; i < to; i++) {
        buf_puts(&s->text, i ? ",?" : "?");
        sql_add_value(s, db_in_uuid(ids[i < n ? i : n - 1]));
    }
    buf_putc(&s->text, ')');
}

static struct sql_text built(struct sql *s)
{
    const char *text = buf_str(&s->text);

    assert(s->text.len > 0);
    return (struct sql_text){.s = text, .n = s->text.len};
}

err sql_query(struct ctx *c, struct db_cursor *q, struct sql *s)
{
    db_cursor_begin(c, q);
    return db_run(c, q, NULL, built(s), s->in, s->n);
}

err sql_exec(struct ctx *c, int64_t *changed, struct sql *s)
{
    return db_run(c, NULL, changed, built(s), s->in, s->n);
}

#define ROWS_AT_FIRST 64

/* Room for that many rows, zeros behind the first n. */
static char *sql_room(struct ctx *c, const char *rows, size_t n, size_t room, size_t size)
{
    char *list = arena_alloc(c->arena, (room + 1) * size);

    if (n)
        memcpy(list, rows, n * size);
    memset(list + n * size, 0, (room + 1 - n) * size);
    return list;
}

err sql_rows(struct ctx *c, struct sql *s, size_t max, size_t size, err (*read)(struct ctx *c, struct db_cursor *q, bool *found, void *row),
             void **rows, size_t *n)
{
    size_t k = 0, room = max < ROWS_AT_FIRST ? max : ROWS_AT_FIRST;
    char *list = sql_room(c, NULL, 0, room, size);
    scoped_cursor q = {0};

    TRY(sql_query(c, &q, s));
    for (bool found; k < max; k++) {
        if (k == room) {
            room = 2 * room < max ? 2 * room : max;
            list = sql_room(c, list, k, room, size);
        }
        TRY(read(c, &q, &found, list + k * size));
        if (!found)
            break;
    }
    *rows = list;
    *n = k;
    return ERR_OK;
}
