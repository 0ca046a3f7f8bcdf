/* The page Brief preview: what an agent would be told, section by section, and what was left out. */
#include "brief_html.h"

#include "agent.h"
#include "brief.h"
#include "parts_html.h"

#define BUDGET 4000
#define AGENTS_SHOWN 100

static err brief_put_agents(struct ctx *c, struct page_call *p, struct uuid chosen_id)
{
    struct json *options = put_list(c, p->model, "agents");
    const struct agent *v;
    struct page page;

    add_choice(c, options, "", "me", uuid_is_nil(chosen_id));
    if (!page_may(c, PERM_MEMORY_MANAGE))
        return ERR_OK;
    TRY(agent_list(c, &(struct agent_filter){.status = AGENT_ACTIVE, .limit = AGENTS_SHOWN}, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++)
        add_choice(c, options, arena_strdup(c->arena, UUID_STR(v[i].id)), v[i].name, uuid_eq(v[i].id, chosen_id));
    return ERR_OK;
}

static void brief_put(struct ctx *c, struct json *m, const struct brief *b)
{
    struct json *sections = put_list(c, m, "sections"), *evicted = put_list(c, m, "evicted"), *row;
    const struct brief_section *s = b->sections.v;
    const struct brief_evicted *e = b->evicted.v;

    json_set_str(c->arena, m, "stable", b->stable->text);
    json_set_str(c->arena, m, "volatile", b->volatile_part->text);
    json_set_str(c->arena, m, "evidence", b->evidence);
    json_set_int(c->arena, m, "tokens", b->tokens);
    json_set_int(c->arena, m, "budget", b->token_budget);
    for (size_t i = 0; i < b->sections.n; i++) {
        row = add_row(c, sections);
        json_set_str(c->arena, row, "name", s[i].name);
        json_set_int(c->arena, row, "weight", s[i].weight);
        json_set_int(c->arena, row, "tokens", s[i].tokens);
        json_set_int(c->arena, row, "items", s[i].items);
    }
    for (size_t i = 0; i < b->evicted.n; i++) {
        row = add_row(c, evicted);
        put_id(c, row, "id", e[i].id);
        json_set_str(c->arena, row, "kind", e[i].kind);
        json_set_str(c->arena, row, "section", e[i].section);
        json_set_str(c->arena, row, "reason", e[i].reason);
        json_set_int(c->arena, row, "tokens", e[i].tokens);
    }
}

static err brief_page(struct ctx *c, struct page_call *p)
{
    struct brief_in in = {.query = page_query(p, "query"), .token_budget = BUDGET, .min_evidence = 0.2, .preview = true};
    const char *agent = page_query(p, "agent_id");
    struct brief b;

    if (agent && !uuid_parse(agent, &in.agent_id))
        return fail(c, ERR_NOT_FOUND, "no such agent");
    TRY(brief_put_agents(c, p, in.agent_id));
    json_set_str(c->arena, p->model, "query", in.query);
    TRY(brief_build(c, &in, &b));
    brief_put(c, p->model, &b);
    return page_show(p, "brief");
}

const struct page_row brief_pages[] = {
    {.method = "GET", .path = "/admin/brief", .name = "page.brief", .perm = PERM_MEMORY_READ, .run = brief_page,
     .nav = {.label = "Brief preview", .icon = "search", .key = "v"}},
    {0},
};
