/* Spaces and who may reach them. */
#include "graph_html.h"

#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "people_html.h"
#include "space_room.h"
#include "team.h"

static void put_link(struct ctx *c, struct json *m, const char *name, struct uuid id, const char *text)
{
    struct json *link;

    if (uuid_is_nil(id))
        return;
    link = json_set(c->arena, m, name, json_obj(c->arena));
    put_id(c, link, "id", id);
    json_set_str(c->arena, link, "name", text ? text : arena_printf(c->arena, "%.8s…", UUID_STR(id)));
}

/* ---- the list */

#define DELETED "deleted" /* among the statuses: not one of a space, but of those that may be brought back */

/* The kinds that can be made by hand. */
static void put_create_form(struct ctx *c, struct page_call *p)
{
    struct json *form = put_form(c, p, "fields", &SPACE, COL_CREATE, NULL), *kinds = json_arr(c->arena);
    const char *shown = chosen(p, "kind", enumx_name(&space_kind_enumx, SPACE_CONTEXT));

    for (size_t i = 0; i < space_kind_enumx.n; i++) {
        const struct space_room *r = space_room_of(c, (enum space_kind)i);

        if (r && r->make && page_may(c, r->create))
            add_choice(c, kinds, space_kind_enumx.names[i], space_kind_enumx.names[i], str_eq(space_kind_enumx.names[i], shown));
    }
    form_choices(c, form, "kind", kinds);
}

static struct json *statuses(struct ctx *c, const char *shown)
{
    struct json *list = enum_choices(c, &space_status_enumx, "any", shown);

    add_choice(c, list, DELETED, DELETED, str_eq(DELETED, shown));
    return list;
}

static err spaces(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "spaces");
    const struct space *s;
    struct names *names;
    struct page page;

    TRY(space_list(c, &(struct space_filter){.kind = query_enum(p, "kind", &space_kind_enumx),
                                             .status = query_enum(p, "status", &space_status_enumx),
                                             .deleted = str_eq(page_query(p, "status"), DELETED),
                                             .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT,
                                             .cursor = page_query(p, "cursor")}, &page));
    TRY(names_load(c, &names));
    s = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        put_thing(c, row, &SPACE, &s[i]);
        put_time(c, row, "deleted_at", s[i].deleted_at);
        put_link(c, row, "owner", s[i].owner_agent_id, names_find(names, s[i].owner_agent_id));
    }
    put_listing(c, p, "/admin/spaces", &page);
    json_set(c->arena, p->model, "kinds", enum_choices(c, &space_kind_enumx, "any", page_query(p, "kind")));
    json_set(c->arena, p->model, "statuses", statuses(c, page_query(p, "status")));
    put_create_form(c, p);
    json_set_bool(c->arena, p->model, "may_create", page_may(c, PERM_MEMORY_WRITE));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "spaces");
}

/* ---- one of them */

static void spaces_page_put_about(struct ctx *c, struct json *m, const struct space *s, const struct names *names,
                                  const struct page *teams)
{
    const char *settings;

    put_thing(c, m, &SPACE, s);
    put_link(c, m, "owner", s->owner_agent_id, names_find(names, s->owner_agent_id));
    put_link(c, m, "team", s->team_id, team_name(teams, s->team_id));
    put_link(c, m, "parent", s->parent_id, NULL);
    json_set_str(c->arena, m, "also_href", s->kind == SPACE_POOL ? arena_printf(c->arena, "/admin/pools/%s", UUID_STR(s->id))
                 : s->kind == SPACE_CONTEXT ? arena_printf(c->arena, "/admin/memory/%s", UUID_STR(s->id)) : NULL);
    settings = s->settings ? json_text(c->arena, s->settings) : "{}";
    json_put(c->arena, m, "settings", json_str(c->arena, str_eq(settings, "{}") ? NULL : settings));
}

static err space_page(struct ctx *c, struct page_call *p)
{
    struct page teams;
    struct names *names;
    struct space s;
    struct uuid id;
    bool manages, stays;

    TRY(page_id(c, p, 0, &id));
    TRY(space_get(c, id, &s));
    TRY(names_load(c, &names));
    TRY(team_list(c, &(struct team_filter){.limit = LIMIT_PAGE}, &teams));
    spaces_page_put_about(c, json_set(c->arena, p->model, "space", json_obj(c->arena)), &s, names, &teams);
    form_without(put_form(c, p, "fields", &SPACE, COL_PATCH, &s), "slug");
    manages = s.access == ACCESS_MANAGE && page_may(c, PERM_MEMORY_WRITE);
    stays = s.kind == SPACE_NAMESPACE || s.is_section;
    json_set_bool(c->arena, p->model, "may_manage", manages);
    json_set_bool(c->arena, p->model, "may_archive", manages && !stays && s.status == SPACE_ACTIVE && space_room_allows(c, &s, SPACE_ARCHIVES));
    json_set_bool(c->arena, p->model, "may_restore", manages && s.status == SPACE_ARCHIVED && space_room_allows(c, &s, SPACE_UNARCHIVES));
    json_set_bool(c->arena, p->model, "may_delete", manages && !stays && space_room_allows(c, &s, SPACE_DELETES));
    if (manages && space_room_allows(c, &s, SPACE_LISTS_GRANTS))
        TRY(put_grants(c, p, id, arena_printf(c->arena, "/admin/spaces/%s", UUID_STR(id)), names, &teams));
    return page_show(p, "space");
}

static err spaces_page_grant(struct ctx *c, struct page_call *p)
{
    return post_grant(c, p, "/admin/spaces", "");
}

static err spaces_page_ungrant(struct ctx *c, struct page_call *p)
{
    return post_ungrant(c, p, "/admin/spaces", "");
}

static err delete (struct ctx *c, struct page_call *p)
{
    struct space s;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(space_get(c, id, &s));
    if (!str_eq(page_form(p, "confirm"), s.slug))
        return fail_field(c, "/confirm", "enter the slug of the space, %s, to delete it", s.slug);
    TRY(space_delete(c, id, 0));
    page_say(c, p, "ok", "Space %s deleted. It can be restored for %d days: filter the list by status deleted.", s.name,
             space_restore_days(s.kind));
    return page_go(c, p, "/admin/spaces");
}

static err undelete(struct ctx *c, struct page_call *p)
{
    struct space s;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(space_restore(c, id, &s));
    page_say(c, p, "ok", "Space %s restored with all its content.", s.name);
    return page_go(c, p, "/admin/spaces");
}

#define DOES(path_, name_, does_, said_, go_, again_) \
    {.method = "POST", .path = "/admin/spaces" path_, .name = "page.space." name_, .perm = PERM_MEMORY_WRITE, \
     .does = "space." does_, .said = (said_), .go = "/admin/spaces" go_, .again = (again_)}

const struct page_row spaces_pages[] = {
    {.method = "GET", .path = "/admin/spaces", .name = "page.spaces", .op = "space.list", .perm = PERM_MEMORY_READ, .run = spaces,
     .nav = {.label = "Spaces", .icon = "spaces", .key = "s"}},
    DOES("", "create", "create", "Space created. Grant access below.", "/:made", spaces),
    {.method = "GET", .path = "/admin/spaces/:id", .name = "page.space", .op = "space.get", .perm = PERM_MEMORY_READ, .run = space_page},
    DOES("/:id", "update", "update", "Saved.", "/:id", space_page),
    {.method = "POST", .path = "/admin/spaces/:id/grants", .name = "page.space.grant", .perm = PERM_MEMORY_WRITE,
     .run = spaces_page_grant, .again = space_page},
    {.method = "POST", .path = "/admin/spaces/:id/grants/:grant_id/remove", .name = "page.space.ungrant",
     .perm = PERM_MEMORY_WRITE, .run = spaces_page_ungrant},
    DOES("/:id/archive", "archive", "archive", "Space archived: it is read-only now.", "/:id", space_page),
    DOES("/:id/restore", "restore", "unarchive", "Space unarchived.", "/:id", space_page),
    {.method = "POST", .path = "/admin/spaces/:id/delete", .name = "page.space.delete", .perm = PERM_MEMORY_WRITE,
     .run = delete, .again = space_page},
    {.method = "POST", .path = "/admin/spaces/:id/undelete", .name = "page.space.undelete", .perm = PERM_MEMORY_WRITE, .run = undelete},
    {0},
};
