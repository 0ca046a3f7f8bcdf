/* The page Taxonomy: tags with what waits for a review, patterns; and one tag with what can be decided about it. */
#include "taxonomy_html.h"

#include "limit.h"
#include "parts_html.h"
#include "tag_pattern.h"

static void put_pattern_names(struct ctx *c, struct json *rows, const struct page *page)
{
    const struct tag_pattern *v = page->items;

    for (size_t i = 0; i < page->n; i++) {
        struct json *row = add_row(c, rows), *tags = put_list(c, row, "tags");

        for (const struct json *t = json_opened(c->arena, v[i].items)->first; t; t = t->next)
            json_set_str(c->arena, add_row(c, tags), "name", t->s);
        put_badge(c, row, v[i].tier == TAG_UNIVERSE ? "ok" : "info", enumx_name(&tag_tier_enumx, (int)v[i].tier));
        json_set_str(c->arena, row, "owners", arena_printf(c->arena, "%lld", (long long)v[i].support_owners));
        json_set_str(c->arena, row, "lift", arena_printf(c->arena, "%.1f", v[i].lift));
    }
}

static err taxonomy_page(struct ctx *c, struct page_call *p)
{
    struct tag_filter f = {.tag_type = query_enum(p, "type", &tag_type_enumx), .tier = query_enum(p, "tier", &tag_tier_enumx),
                           .status = query_enum(p, "status", &tag_status_enumx), .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT,
                           .cursor = page_query(p, "cursor")};
    struct tag_pattern_filter patterns = {.tier = -1, .limit = LIMIT_PAGE_DEFAULT};
    struct page page, found;

    TRY(taxonomy_list(c, &f, &page));
    put_things(c, p->model, "tags", &TAG, &page);
    put_listing(c, p, "/admin/taxonomy", &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &tag_status_enumx, "any", page_query(p, "status")));
    json_set(c->arena, p->model, "types", enum_choices(c, &tag_type_enumx, "any", page_query(p, "type")));
    json_set(c->arena, p->model, "tiers", enum_choices(c, &tag_tier_enumx, "any", page_query(p, "tier")));
    TRY(tag_pattern_list(c, &patterns, &found));
    put_pattern_names(c, put_list(c, p->model, "patterns"), &found);
    json_set_bool(c->arena, p->model, "may_make", page_may(c, PERM_GRAPH_MANAGE));
    return page_show(p, "taxonomy");
}

static err tag_page(struct ctx *c, struct page_call *p)
{
    struct json *model, *aliases;
    struct uuid id;
    struct tag t;
    bool may;

    TRY(page_id(c, p, 0, &id));
    TRY(tag_get(c, id, &t));
    may = page_may(c, PERM_GRAPH_MANAGE) && access_may_write(c, t.space_id);
    model = put_thing(c, json_set(c->arena, p->model, "tag", json_obj(c->arena)), &TAG, &t);
    aliases = put_list(c, model, "other_names");
    for (size_t i = 0; i < t.aliases.n; i++)
        json_set_str(c->arena, add_row(c, aliases), "name", t.aliases.v[i]);
    json_set_bool(c->arena, p->model, "may_approve", may && t.status != TAG_ACTIVE && t.status != TAG_MERGED);
    json_set_bool(c->arena, p->model, "may_reject", may && t.status == TAG_PENDING);
    json_set_bool(c->arena, p->model, "may_change", may && t.status != TAG_MERGED);
    return page_show(p, "tag");
}

const struct page_row taxonomy_pages[] = {
    {.method = "GET", .path = "/admin/taxonomy", .name = "page.taxonomy", .op = "tag.list", .perm = PERM_GRAPH_READ, .run = taxonomy_page,
     .nav = {.label = "Taxonomy", .icon = "graph", .key = "e"}},
    {.method = "POST", .path = "/admin/taxonomy", .name = "page.tag.create", .perm = PERM_GRAPH_MANAGE, .does = "tag.create",
     .said = "Tag created.", .go = "/admin/taxonomy", .again = taxonomy_page},
    {.method = "GET", .path = "/admin/taxonomy/:id", .name = "page.tag", .op = "tag.get", .perm = PERM_GRAPH_READ, .run = tag_page},
    {.method = "POST", .path = "/admin/taxonomy/:id/approve", .name = "page.tag.approve", .perm = PERM_GRAPH_MANAGE,
     .does = "tag.approve",
     .said = "Approved.", .go = "/admin/taxonomy/:id", .again = tag_page},
    {.method = "POST", .path = "/admin/taxonomy/:id/reject", .name = "page.tag.reject", .perm = PERM_GRAPH_MANAGE, .does = "tag.reject",
     .said = "Rejected.", .go = "/admin/taxonomy/:id", .again = tag_page},
    {.method = "POST", .path = "/admin/taxonomy/:id/rename", .name = "page.tag.rename", .perm = PERM_GRAPH_MANAGE, .does = "tag.rename",
     .said = "Renamed.", .go = "/admin/taxonomy/:id", .again = tag_page},
    {.method = "POST", .path = "/admin/taxonomy/:id/merge", .name = "page.tag.merge", .perm = PERM_GRAPH_MANAGE, .does = "tag.merge",
     .said = "Merged.", .go = "/admin/taxonomy", .again = tag_page},
    {0},
};
