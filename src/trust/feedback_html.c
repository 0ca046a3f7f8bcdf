/* The page Feedback: what agents ask people to say of their work, and what was said. */
#include "agent.h"
#include "feedback.h"
#include "parts_html.h"
#include "trust_html.h"

static err feedback_put_agents(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "agents");
    const char *shown = chosen(p, "agent_id", page_query(p, "agent_id"));
    const struct agent *a;
    struct page page;

    TRY(agent_list(c, &(struct agent_filter){.status = AGENT_ACTIVE, .limit = LIMIT_PAGE}, &page));
    a = page.items;
    for (size_t i = 0; i < page.n; i++) {
        const char *id = uuid_text(a[i].id, arena_alloc(c->arena, UUID_TEXT));

        add_choice(c, list, id, a[i].name, str_eq(id, shown));
    }
    return ERR_OK;
}

static err feedback_page(struct ctx *c, struct page_call *p)
{
    struct feedback_filter f = {.limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor"), .open = page_query(p, "open") != NULL};
    struct page page;

    if (page_query(p, "agent_id") && !uuid_parse(page_query(p, "agent_id"), &f.agent_id))
        return fail(c, ERR_NOT_FOUND, "no such agent");
    TRY(feedback_list(c, &f, &page));
    put_things(c, p->model, "feedback", &FEEDBACK, &page);
    put_listing(c, p, "/admin/feedback", &page);
    TRY(feedback_put_agents(c, p));
    put_form(c, p, "fields", &FEEDBACK, COL_CREATE, NULL);
    json_set_bool(c->arena, p->model, "open", f.open);
    json_set_bool(c->arena, p->model, "form_open", p->is_again || page_query(p, "agent_id"));
    json_set_str(c->arena, p->model, "context_kind", chosen(p, "context_kind", page_query(p, "context_kind")));
    json_set_str(c->arena, p->model, "context_id", chosen(p, "context_id", page_query(p, "context_id")));
    return page_show(p, "feedback");
}

const struct page_row feedback_pages[] = {
    {.method = "GET", .path = "/admin/feedback", .name = "page.feedback", .op = "feedback.list", .perm = PERM_OVERSIGHT_READ,
     .run = feedback_page, .nav = {.label = "Feedback", .icon = "audit"}},
    {.method = "POST", .path = "/admin/feedback", .name = "page.feedback.give", .perm = PERM_OVERSIGHT_READ, .does = "feedback.give",
     .said = "Thank you. It counts at once.", .go = "/admin/feedback", .again = feedback_page},
    {0},
};
