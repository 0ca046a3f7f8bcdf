/* The Recall playground: a query with every setting, and all that the engine can say of its answer. */
#include "playground_html.h"

#include "agent.h"
#include "app.h"
#include "parts_html.h"

/* What is copied before anything was asked. */
static const struct json *sample(struct ctx *c)
{
    struct json *args = json_obj(c->arena);

    json_set_str(c->arena, args, "query", "What did we decide about the deposit?");
    return args;
}

/* Whose eyes it can be looked at with; a choice of those who may manage memory. */
static err playground_put_agents(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "agents");
    const char *shown = page_query(p, "as_agent");
    const struct agent *a;
    struct page page;

    json_set_bool(c->arena, p->model, "may_stand_in", page_may(c, PERM_MEMORY_MANAGE));
    if (!page_may(c, PERM_MEMORY_MANAGE))
        return ERR_OK;
    TRY(agent_list(c, &(struct agent_filter){.status = AGENT_ACTIVE, .limit = LIMIT_PAGE}, &page));
    a = page.items;
    add_choice(c, list, "", "myself", str_empty(shown));
    for (size_t i = 0; i < page.n; i++) {
        const char *id = uuid_text(a[i].id, arena_alloc(c->arena, UUID_TEXT));

        add_choice(c, list, id, a[i].name, str_eq(id, shown));
    }
    return ERR_OK;
}

static err playground_ask(struct ctx *c, struct page_call *p, const struct json *args, struct call_result *r)
{
    TRY(page_run(c, p, PLAYGROUND_OPERATION, args, r));
    playground_answer(c, p, r->data);
    TRY(playground_names(c, p));
    return playground_compare(c, p, args, r->data);
}

/* What that agent would get; the audit trail says that somebody looked. */
static err playground_ask_as(struct ctx *c, struct page_call *p, const struct json *args, struct call_result *r)
{
    struct agent_self self;
    struct uuid id;
    err e;

    if (!page_query(p, "as_agent"))
        return playground_ask(c, p, args, r);
    if (!uuid_parse(page_query(p, "as_agent"), &id))
        return fail(c, ERR_NOT_FOUND, "no such agent");
    TRY(agent_stand_in(c, id, "recall_on_behalf", &self));
    e = playground_ask(c, p, args, r);
    agent_stand_down(c, &self);
    return e;
}

static err playground(struct ctx *c, struct page_call *p)
{
    const struct op *op = op_find(c->app->ops, PLAYGROUND_OPERATION);
    struct call_result r = {0};
    struct json *args;
    err e = ERR_OK;

    p->asked = args = playground_args(c, p, op->in);
    TRY(playground_put_agents(c, p));
    if (!page_query(p, "query"))
        p->asked = sample(c);
    else
        e = playground_ask_as(c, p, args, &r);
    if (e != ERR_OK && e != ERR_INVALID)
        return e;
    TRY(playground_form(c, p, op->in));
    if (e == ERR_INVALID)
        ctx_forgive(c);
    if (!r.data)
        json_set(c->arena, p->model, "answer", json_new(c->arena, JSON_NULL));
    return page_show(p, "playground");
}

const struct page_row playground_pages[] = {
    { .method = "GET", .path = "/admin/recall", .name = "page.recall", .op = "recall", .perm = PERM_MEMORY_READ, .run = playground,
      .nav = { .label = "Test recall", .icon = "search", .key = "r", .heading = "Memory" } },
    { 0 },
};
