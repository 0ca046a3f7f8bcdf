/* The Recall playground: a query with every setting, and all that the engine can say of its answer. */
#include "playground_html.h"

#include "app.h"
#include "parts_html.h"

/* What is copied before anything was asked. */
static const struct json *sample(struct ctx *c)
{
    struct json *args = json_obj(c->arena);

    json_set_str(c->arena, args, "query", "What did we decide about the deposit?");
    return args;
}

static err playground(struct ctx *c, struct page_call *p)
{
    const struct op *op = op_find(c->app->ops, PLAYGROUND_OPERATION);
    struct call_result r = {0};
    struct json *args;
    err e = ERR_OK;

    p->asked = args = playground_args(c, p, op->in);
    if (!page_query(p, "query"))
        p->asked = sample(c);
    else
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
    } else {
        json_set(c->arena, p->model, "answer", json_new(c->arena, JSON_NULL));
    }
    return page_show(p, "playground");
}

const struct page_row playground_pages[] = {
    { .method = "GET", .path = "/admin/recall", .name = "page.recall", .op = "recall", .perm = PERM_MEMORY_READ, .run = playground,
      .nav = { .label = "Test recall", .icon = "search", .key = "r", .heading = "Memory" } },
    { 0 },
};
