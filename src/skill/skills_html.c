/* The page Skills: the list with a form for a new one, and one of them with its versions, uses and agents. */
#include "agent_skill.h"
#include "limit.h"
#include "parts_html.h"
#include "skill_html.h"
#include "skill_test.h"
#include "skill_usage.h"
#include "thing.h"

#define VERSIONS_SHOWN 20
#define USES_SHOWN 10

static err skill_form_categories(struct ctx *c, struct json *form, const char *chosen_)
{
    struct json *options = json_arr(c->arena);
    const struct skill_category_row *v;
    struct list list;

    TRY(skill_categories(c, &list));
    v = list.v;
    for (size_t i = 0; i < list.n; i++)
        add_choice(c, options, v[i].name, v[i].name, str_eq(v[i].name, chosen_));
    form_choices(c, form, "category", options);
    return ERR_OK;
}

static err skills_page(struct ctx *c, struct page_call *p)
{
    struct skill_filter f = {.status = query_enum(p, "status", &skill_status_enumx), .enabled = -1, .category = page_query(p, "category"),
                             .search = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct json *categories = put_list(c, p->model, "categories"), *form;
    const struct skill_category_row *v;
    struct list list;
    struct page page;

    TRY(skill_list(c, &f, &page));
    put_things(c, p->model, "skills", &SKILL, &page);
    put_listing(c, p, "/admin/skills", &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &skill_status_enumx, "any", page_query(p, "status")));
    TRY(skill_categories(c, &list));
    v = list.v;
    add_choice(c, categories, "", "any", !f.category);
    for (size_t i = 0; i < list.n; i++)
        add_choice(c, categories, v[i].name, v[i].name, str_eq(v[i].name, f.category));
    form = put_form(c, p, "fields", &SKILL, COL_CREATE, NULL);
    TRY(skill_form_categories(c, form, chosen(p, "category", NULL)));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "skills");
}

/* ---- one */

static void put_skill_agents(struct ctx *c, struct json *rows, const struct list *agents)
{
    const struct agent_skill *v = agents->v;

    for (size_t i = 0; i < agents->n; i++) {
        struct json *row = add_row(c, rows);

        put_id(c, row, "id", v[i].agent_id);
        json_set_str(c->arena, row, "name", v[i].agent_name);
        json_set_int(c->arena, row, "priority", v[i].priority);
        json_set_str(c->arena, row, "version_req", v[i].version_req);
    }
}

static err put_skill_test(struct ctx *c, struct json *m, struct uuid id)
{
    struct skill_test t;
    err e = skill_test_get(c, id, &t);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        json_set(c->arena, m, "test", json_new(c->arena, JSON_NULL));
        return ERR_OK;
    }
    TRY(e);
    put_thing(c, json_set(c->arena, m, "test", json_obj(c->arena)), &SKILL_TEST, &t);
    return ERR_OK;
}

static void put_skill_may(struct ctx *c, struct page_call *p, const struct skill *s)
{
    bool may = access_may_write(c, s->space_id) && page_may(c, PERM_SKILLS_WRITE);

    json_set_bool(c->arena, p->model, "may_edit", may && s->status != SKILL_ARCHIVED);
    json_set_bool(c->arena, p->model, "may_serve", may && page_may(c, PERM_SKILLS_MANAGE));
    json_set_bool(c->arena, p->model, "may_activate", may && (s->status == SKILL_DRAFT || s->status == SKILL_DEPRECATED));
    json_set_bool(c->arena, p->model, "may_deprecate", may && s->status == SKILL_ACTIVE);
    json_set_bool(c->arena, p->model, "may_archive", may && s->status != SKILL_ARCHIVED);
    json_set_bool(c->arena, p->model, "may_restore", may && s->status == SKILL_ARCHIVED);
}

static err skill_page(struct ctx *c, struct page_call *p)
{
    struct page versions, uses;
    struct list agents;
    struct json *form;
    struct skill s;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(skill_get_whole(c, p->params[0], &s));
    TRY(skill_version_list(c, &(struct skill_version_filter){.id = id, .limit = VERSIONS_SHOWN}, &versions));
    TRY(skill_usage_list(c, &(struct skill_usage_filter){.id = id, .limit = USES_SHOWN}, &uses));
    TRY(agent_skill_list(c, (struct uuid){{0}}, id, &agents));
    put_thing(c, json_set(c->arena, p->model, "skill", json_obj(c->arena)), &SKILL, &s);
    put_things(c, p->model, "versions", &SKILL_VERSION, &versions);
    put_things(c, p->model, "uses", &SKILL_USAGE, &uses);
    put_skill_agents(c, put_list(c, p->model, "agents"), &agents);
    TRY(put_skill_test(c, p->model, id));
    form = put_form(c, p, "fields", &SKILL, COL_PATCH, &s);
    TRY(skill_form_categories(c, form, chosen(p, "category", s.category)));
    put_skill_may(c, p, &s);
    return page_show(p, "skill");
}

static err skill_page_serve(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    json_set_str(c->arena, extra, "id", p->params[1]);
    TRY(page_run(c, p, "skill_version.activate", extra, &r));
    page_say(c, p, "ok", "This version is served from now on.");
    return page_go(c, p, "/admin/skills/%s", p->params[0]);
}

const struct page_row skill_pages[] = {
    {.method = "GET", .path = "/admin/skills", .name = "page.skills", .op = "skill.list", .perm = PERM_SKILLS_READ, .run = skills_page,
     .nav = {.label = "Skills", .icon = "skills", .key = "f"}},
    {.method = "POST", .path = "/admin/skills", .name = "page.skill.create", .perm = PERM_SKILLS_WRITE, .does = "skill.create",
     .said = "Skill created.", .go = "/admin/skills/:made", .again = skills_page},
    {.method = "GET", .path = "/admin/skills/:id", .name = "page.skill", .op = "skill.get", .perm = PERM_SKILLS_READ, .run = skill_page},
    {.method = "POST", .path = "/admin/skills/:id", .name = "page.skill.update", .perm = PERM_SKILLS_WRITE, .does = "skill.update",
     .said = "Saved.", .go = "/admin/skills/:id", .again = skill_page},
    {.method = "POST", .path = "/admin/skills/:id/activate", .name = "page.skill.activate", .perm = PERM_SKILLS_WRITE,
     .does = "skill.activate",
     .said = "Activated. Agents find it now.", .go = "/admin/skills/:id", .again = skill_page},
    {.method = "POST", .path = "/admin/skills/:id/deprecate", .name = "page.skill.deprecate", .perm = PERM_SKILLS_WRITE,
     .does = "skill.deprecate",
     .said = "Deprecated. Agents no longer find it.", .go = "/admin/skills/:id", .again = skill_page},
    {.method = "POST", .path = "/admin/skills/:id/archive", .name = "page.skill.archive", .perm = PERM_SKILLS_WRITE,
     .does = "skill.archive",
     .said = "Archived.", .go = "/admin/skills/:id", .again = skill_page},
    {.method = "POST", .path = "/admin/skills/:id/restore", .name = "page.skill.restore", .perm = PERM_SKILLS_WRITE,
     .does = "skill.restore",
     .said = "Restored as deprecated.", .go = "/admin/skills/:id", .again = skill_page},
    {.method = "POST", .path = "/admin/skills/:id/versions/:vid/activate", .name = "page.skill.serve", .perm = PERM_SKILLS_MANAGE,
     .run = skill_page_serve, .again = skill_page},
    {0},
};
