/* Writing an account as lines; see export.h. */
#include "export.h"

#include <string.h>

#include "db.h"
#include "portion.h"
#include "transfer_store.h"

#define PAGE_FIRST 50
#define PAGE_MAX 500
#define PAGE_BYTES (4 * 1024 * 1024) /* rows are asked for so that a page comes to about as much */

struct run {
    const struct export_what *what;
    struct export_to *to;
    const struct transfer_tables *tables;
    struct ctx part[2]; /* by turns: the key of the last row of a page outlives the page */
    bool begun;
};

static err export_write_out(struct ctx *c, struct export_to *to, const struct buf *b)
{
    to->bytes += (int64_t)b->len;
    return to->write(c, to, b->data, b->len);
}

static err export_write_head(struct ctx *c, const struct run *r)
{
    struct transfer_head head = {.program = LOCI_VERSION, .with_vectors = r->what->with_vectors, .with_audit = r->what->with_audit};
    struct buf b;

    head.made_at = arena_strdup(c->arena, instant_text(c->now, (char[INSTANT_TEXT]){0}));
    TRY(transfer_store_schema(c, &head.schema));
    buf_init(&b, c->arena, 512);
    transfer_line_head(&b, &head);
    r->to->lines++;
    return export_write_out(c, r->to, &b);
}

/* The key of the last row, kept beyond the memory of its page. */
static struct transfer_value *keep_key(struct arena *a, const struct transfer_row *row)
{
    struct transfer_value *kept = ARENA_ARRAY(a, struct transfer_value, row->table->n_columns);

    for (size_t i = 0; i < row->table->n_key; i++) {
        size_t at = row->table->key[i];
        enum transfer_type type = row->table->columns[at].type;

        kept[at] = row->v[at];
        if (type == TT_TEXT || type == TT_REF || type == TT_DAY)
            kept[at].text = arena_strdup(a, row->v[at].text);
    }
    return kept;
}

static err export_write_rows(struct ctx *c, struct export_to *to, const struct transfer_row *rows, size_t n, size_t *bytes)
{
    struct buf b;

    buf_init(&b, c->arena, 65536);
    for (size_t i = 0; i < n; i++)
        transfer_line_row(&b, &to->chain, &rows[i]);
    to->lines += (int64_t)n;
    *bytes = b.len;
    return n ? export_write_out(c, to, &b) : ERR_OK;
}

static int64_t next_limit(size_t n, size_t bytes)
{
    size_t limit = n * PAGE_BYTES / (bytes + 1);

    return (int64_t)(limit < 1 ? 1 : limit > PAGE_MAX ? PAGE_MAX : limit);
}

static err write_table(struct ctx *c, struct run *r, const struct transfer_table *t, const struct transfer_value *after, int64_t *count)
{
    int64_t limit = PAGE_FIRST;
    size_t n = 1, bytes = 0;

    for (int turn = 0; n; turn = !turn) {
        struct ctx *p = &r->part[turn];
        struct transfer_row *rows;
        err e;

        portion_next(p);
        if (r->to->should_stop && r->to->should_stop(r->to))
            return fail(c, ERR_UNAVAILABLE, "the export was interrupted; it continues later");
        rows = ARENA_ARRAY(p->arena, struct transfer_row, (size_t)limit);
        e = transfer_store_page(p, t, after, limit, rows, &n);
        if (e == ERR_OK)
            e = export_write_rows(p, r->to, rows, n, &bytes);
        TRY(portion_end(c, p, e));
        if (!n)
            return ERR_OK;
        *count += (int64_t)n;
        after = keep_key(p->arena, &rows[n - 1]);
        n = (int64_t)n < limit || !t->n_key ? 0 : n;
        limit = next_limit(n, bytes);
    }
    return ERR_OK;
}

static bool export_is_wanted(const struct export_what *what, const struct transfer_table *t)
{
    return t->part == TRANSFER_ALWAYS || (t->part == TRANSFER_VECTORS ? what->with_vectors : what->with_audit);
}

static err write_tables(struct ctx *c, struct run *r)
{
    struct export_to *to = r->to;
    bool ahead = to->after_table != NULL;

    for (size_t i = 0; i < r->tables->n; i++) {
        const struct transfer_table *t = &r->tables->v[i];
        bool resumed = to->after_table && strcmp(t->name, to->after_table->name) == 0;

        if (!export_is_wanted(r->what, t) || (ahead && !resumed))
            continue;
        ahead = false;
        if (!resumed || t->n_key)
            TRY(write_table(c, r, t, resumed ? to->after : NULL, &to->counts[i]));
    }
    return ERR_OK;
}

static err write_end(struct ctx *c, const struct run *r)
{
    struct json *counts = json_obj(c->arena);
    struct buf b;

    for (size_t i = 0; i < r->tables->n; i++)
        if (export_is_wanted(r->what, &r->tables->v[i]))
            json_set_int(c->arena, counts, r->tables->v[i].name, r->to->counts[i]);
    buf_init(&b, c->arena, 4096);
    transfer_line_end(&b, &r->to->chain, counts);
    r->to->lines++;
    return export_write_out(c, r->to, &b);
}

static err export_write_all(struct ctx *c, void *arg)
{
    struct run *r = arg;

    if (r->begun) /* what was read is of a state that this transaction would not see */
        return fail(c, ERR_UNAVAILABLE, "the connection to the database was lost during the export");
    r->begun = true;
    if (!r->to->after_table)
        TRY(export_write_head(c, r));
    TRY(write_tables(c, r));
    return write_end(c, r);
}

err export_run(struct ctx *c, const struct export_what *what, struct export_to *to)
{
    struct run r = {.what = what, .to = to, .tables = transfer_tables_read(c->arena)};

    if (!to->counts)
        to->counts = ARENA_ARRAY(c->arena, int64_t, r.tables->n);
    portion_begin(c, &r.part[0]);
    portion_begin(c, &r.part[1]);
    TRY(transfer_store_one_state(c));
    return db_tx(c, export_write_all, &r);
}
