/* The page Conflicts: open ones, the most urgent first, with what can be decided about each. */
#include "limit.h"
#include "parts_html.h"
#include "skill_conflict.h"
#include "skillgraph_html.h"

static err skill_conflicts_page(struct ctx *c, struct page_call *p)
{
    struct skill_conflict_filter f = {.status = query_enum(p, "status", &skill_conflict_status_enumx),
                                      .conflict_type = query_enum(p, "type", &skill_conflict_type_enumx),
                                      .severity = query_enum(p, "severity", &skill_severity_enumx), .limit = LIMIT_PAGE};
    struct page page;

    TRY(skill_conflict_list(c, &f, &page));
    put_things(c, p->model, "conflicts", &SKILL_CONFLICT, &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &skill_conflict_status_enumx, "open", page_query(p, "status")));
    json_set(c->arena, p->model, "types", enum_choices(c, &skill_conflict_type_enumx, "any", page_query(p, "type")));
    json_set(c->arena, p->model, "severities", enum_choices(c, &skill_severity_enumx, "any", page_query(p, "severity")));
    json_set_bool(c->arena, p->model, "has_more", page.has_more);
    json_set_bool(c->arena, p->model, "may_decide", page_may(c, PERM_SKILLS_REVIEW));
    json_set_bool(c->arena, p->model, "may_scan", page_may(c, PERM_SKILLS_MANAGE));
    return page_show(p, "skill_conflicts");
}

static err skill_conflict_page(struct ctx *c, struct page_call *p)
{
    struct skill_conflict x;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(skill_conflict_get(c, id, &x));
    put_thing(c, json_set(c->arena, p->model, "conflict", json_obj(c->arena)), &SKILL_CONFLICT, &x);
    json_set_bool(c->arena, p->model, "may_decide", x.status <= CONFLICT_ACKNOWLEDGED && page_may(c, PERM_SKILLS_REVIEW));
    return page_show(p, "skill_conflict");
}

const struct page_row skill_conflict_pages[] = {
    {.method = "GET", .path = "/admin/skills/conflicts", .name = "page.skill_conflicts", .op = "skill_conflict.list",
     .perm = PERM_SKILLS_READ, .run = skill_conflicts_page},
    {.method = "POST", .path = "/admin/skills/conflicts/scan", .name = "page.skill_conflict.scan", .perm = PERM_SKILLS_MANAGE,
     .does = "skill_conflict.scan", .said = "The scan is running.", .go = "/admin/skills/conflicts", .again = skill_conflicts_page},
    {.method = "GET", .path = "/admin/skills/conflicts/:id", .name = "page.skill_conflict", .op = "skill_conflict.get",
     .perm = PERM_SKILLS_READ, .run = skill_conflict_page},
    {.method = "POST", .path = "/admin/skills/conflicts/:id/acknowledge", .name = "page.skill_conflict.acknowledge",
     .perm = PERM_SKILLS_REVIEW, .does = "skill_conflict.acknowledge", .said = "Noted.", .go = "/admin/skills/conflicts/:id",
     .again = skill_conflict_page},
    {.method = "POST", .path = "/admin/skills/conflicts/:id/resolve", .name = "page.skill_conflict.resolve", .perm = PERM_SKILLS_REVIEW,
     .does = "skill_conflict.resolve", .said = "Resolved.", .go = "/admin/skills/conflicts/:id", .again = skill_conflict_page},
    {.method = "POST", .path = "/admin/skills/conflicts/:id/dismiss", .name = "page.skill_conflict.dismiss", .perm = PERM_SKILLS_REVIEW,
     .does = "skill_conflict.dismiss", .said = "Dismissed.", .go = "/admin/skills/conflicts/:id", .again = skill_conflict_page},
    {0},
};
