/* The Recall playground: a query with every setting, and all that the engine can say of its answer. */
#include "playground_page.h"

#include "app.h"
#include "config.h"
#include "parts_page.h"

/* 'it' becomes 'it'\''s in a shell's single quotes. */
static void add_quoted(struct buf *b, const char *text)
{
    buf_putc(b, '\'');
    for (const char *p = text; *p; p++)
        if (*p == '\'')
            buf_puts(b, "'\\''");
        else
            buf_putc(b, *p);
    buf_putc(b, '\'');
}

/* The same question for a shell and for an MCP client. */
static void add_copies(struct ctx *c, struct page_call *p, const struct json *args)
{
    struct json *call = json_obj(c->arena), *params = json_set(c->arena, call, "params", json_obj(c->arena));
    struct buf curl;

    buf_init(&curl, c->arena, 512);
    buf_printf(&curl, "curl -s %s/api/v1/recall -H \"Authorization: Bearer $LOCI_TOKEN\" -H 'Content-Type: application/json' -d ",
               c->app->conf->web_public_url);
    add_quoted(&curl, json_text(c->arena, args));
    json_set_str(c->arena, p->model, "curl", buf_str(&curl));
    json_set_str(c->arena, call, "method", "tools/call");
    json_set_str(c->arena, params, "name", "recall");
    json_set(c->arena, params, "arguments", json_raw(c->arena, json_text(c->arena, args)));
    json_set_str(c->arena, p->model, "mcp", json_text_pretty(c->arena, call));
}

static err playground(struct ctx *c, struct page_call *p)
{
    const struct op *op = op_find(c->app->ops, PLAYGROUND_OPERATION);
    struct call_result r = { 0 };
    struct json *args;
    err e = ERR_OK;

    args = playground_args(c, p, op->in);
    if (page_query(p, "query"))
        e = page_run(c, p, PLAYGROUND_OPERATION, args, &r);
    if (e != ERR_OK && e != ERR_INVALID)
        return e;
    TRY(playground_form(c, p, op->in));
    if (e == ERR_INVALID)
        ctx_forgive(c);
    if (r.data) {
        playground_answer(c, p, r.data);
        TRY(playground_names(c, p));
        TRY(playground_compare(c, p, args, r.data));
        add_copies(c, p, args);
    } else {
        json_set(c->arena, p->model, "answer", json_new(c->arena, JSON_NULL));
    }
    return page_show(p, "playground");
}

const struct page_row playground_pages[] = {
    { .method = "GET", .path = "/admin/recall", .name = "page.recall", .perm = PERM_MEMORY_READ, .run = playground,
      .nav = { .label = "Recall playground", .icon = "search", .key = "r", .heading = "Memory" } },
    { 0 },
};
