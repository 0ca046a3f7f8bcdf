/* Asks the operation page by page, and writes a row for each item; see sheet.h. */
#include "sheet.h"

#include "app.h"
#include "copy.h"
#include "csv.h"
#include "model.h"

#define AT_ONCE 100 /* most operations list no more */

bool sheet_is_wanted(const struct ctx *c, const struct page_call *p, const char *name)
{
    const struct op *op = name && page_query(p, "csv") ? op_find(c->app->ops, name) : NULL;

    return op && op->flags & OP_LIST;
}

static void sheet_head(struct buf *b, const struct op *op)
{
    for (const struct field *f = op->out; f->type != FT_END; f++)
        csv_cell(b, f->name, f == op->out);
    csv_end(b);
}

static void sheet_row(struct ctx *c, struct buf *b, const struct op *op, const struct json *item)
{
    for (const struct field *f = op->out; f->type != FT_END; f++) {
        const struct json *v = json_get(item, f->name);
        const char *text = !v || v->type == JSON_NULL ? "" : v->type == JSON_STR ? v->s : json_text(c->arena, v);

        csv_cell(b, text, f == op->out);
    }
    csv_end(b);
}

/* One page of the list; *cursor: where the next begins, or NULL. */
static err sheet_page(struct ctx *c, const struct op *op, struct json *args, struct buf *b, int64_t *n, const char **cursor)
{
    struct call_result r = {0};

    if (*cursor)
        json_set_str(c->arena, args, "cursor", *cursor);
    TRY(call_run(c, op, args, &r));
    for (const struct json *item = r.data->first; item; item = item->next, (*n)++)
        sheet_row(c, b, op, item);
    *cursor = json_get_str(r.meta, "next_cursor");
    return ctx_check_size(c);
}

err sheet_answer(struct ctx *c, struct exchange *x, const struct page_call *p, const char *name)
{
    const struct op *op = op_find(c->app->ops, name);
    struct json *args = copy_args(c, p, op);
    const char *cursor = NULL;
    struct buf b;
    int64_t n = 0;

    buf_init(&b, c->arena, 65536);
    sheet_head(&b, op);
    if (field_find(op->in, "limit"))
        json_set_int(c->arena, args, "limit", AT_ONCE);
    do
        TRY(sheet_page(c, op, args, &b, &n, &cursor));
    while (cursor && n < SHEET_ROWS);
    if (cursor) {
        csv_cell(&b, arena_printf(c->arena, "only the first %lld rows: filter the list, or ask the API", (long long)n), true);
        csv_end(&b);
    }
    exchange_set(x, "Content-Type", "text/csv; charset=utf-8; header=present");
    exchange_set(x, "Content-Disposition", arena_printf(c->arena, "attachment; filename=\"%s.csv\"", op->name));
    buf_puts(&x->body, buf_str(&b));
    x->status = 200;
    return ERR_OK;
}

const char *sheet_href(struct ctx *c, const struct page_call *p, const struct op *op)
{
    if (!(op->flags & OP_LIST) || json_get(p->model, "export")) /* the audit trail has its own */
        return NULL;
    return arena_printf(c->arena, "%s%scsv=1", p->here, strchr(p->here, '?') ? "&" : "?");
}
