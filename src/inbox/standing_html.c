/* The page Oversight: how things stand with agents, each figure with the list behind it. */
#include "inbox_html.h"

#include <string.h>

#include "model.h"
#include "parts_html.h"
#include "standing.h"

/* Where the things of a figure are listed; behind a "=" at the end comes the name. */
static const struct standing_page {
    const char *what, *label, *href;
} PAGES[] = {
    {"escalations", "Open escalations", "/admin/escalations?severity="},
    {"overdue", "Escalations that are overdue", "/admin/escalations?severity="},
    {"exhausted", "Escalations with no person left", "/admin/escalations?status=exhausted&severity="},
    {"proposals", "Proposals to review", "/admin/proposals?status=pending_review"},
    {"proposals_overdue", "Proposals past their deadline", "/admin/proposals?status=pending_review"},
    {"recommendations", "Recommendations", "/admin/recommendations"},
    {"goals", "Open goals", "/admin/goals"},
    {"observations", "Open observations", "/admin/observations?severity="},
    {"tiers", "Agents by trust", "/admin/agents"},
};

static void put_standing(struct ctx *c, struct json *group, const struct standing_page *page, const struct standing *all)
{
    struct json *rows = put_list(c, group, "figures");
    bool is_filter = page->href[strlen(page->href) - 1] == '=';
    const struct standing_figure *v = all->figures.v;

    json_set_str(c->arena, group, "label", page->label);
    for (size_t i = 0; i < all->figures.n; i++) {
        struct json *row;

        if (!str_eq(v[i].what, page->what))
            continue;
        row = add_row(c, rows);
        json_set_str(c->arena, row, "which", v[i].which);
        json_set_str(c->arena, row, "n", model_count(c->arena, v[i].n));
        json_set_str(c->arena, row, "href", arena_printf(c->arena, "%s%s", page->href, is_filter ? v[i].which : ""));
    }
}

static err standing_page(struct ctx *c, struct page_call *p)
{
    struct json *groups = put_list(c, p->model, "groups");
    struct standing all;

    TRY(standing_get(c, &all));
    for (size_t i = 0; i < sizeof PAGES / sizeof *PAGES; i++)
        put_standing(c, add_row(c, groups), &PAGES[i], &all);
    return page_show(p, "oversight");
}

const struct page_row standing_pages[] = {
    {.method = "GET", .path = "/admin/oversight", .name = "page.oversight", .op = "oversight.overview", .perm = PERM_OVERSIGHT_READ,
     .run = standing_page, .nav = {.label = "Oversight", .icon = "overview"}},
    {0},
};
