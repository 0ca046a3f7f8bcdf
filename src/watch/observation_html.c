/* The page Observations: what sensors and clients saw, each with what to do about it. */
#include "observation.h"

#include "limit.h"
#include "parts_html.h"
#include "people_html.h"
#include "watch_html.h"

static err observation_list_page(struct ctx *c, struct page_call *p)
{
    struct observation_filter f = {.sensor_type = query_enum(p, "sensor_type", &sensor_type_enumx),
                                   .severity = query_enum(p, "severity", &observation_severity_enumx), .status = OBSERVED_OPEN,
                                   .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    int status = query_enum(p, "status", &observation_wanted_enumx);
    struct json *rows = put_list(c, p->model, "observations");
    const struct observation *v;
    struct names *names;
    struct page page;

    if (status >= 0)
        f.status = (enum observation_wanted)status;
    TRY(watch_agent_asked(c, p, &f.agent_id));
    TRY(observation_list(c, &f, &page));
    TRY(names_load(c, &names));
    v = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = put_thing(c, add_row(c, rows), &OBSERVATION, &v[i]);

        put_who(c, row, "agent", names, "agent", v[i].agent_id);
        json_set_str(c->arena, row, "details", v[i].data && json_opened(c->arena, v[i].data)->len ? json_text(c->arena, v[i].data) : NULL);
        json_set_bool(c->arena, row, "may_process", v[i].status == OBSERVATION_OPEN && page_may(c, PERM_OVERSIGHT_WRITE));
    }
    put_listing(c, p, "/admin/observations", &page);
    json_set(c->arena, p->model, "statuses",
             enum_choices(c, &observation_wanted_enumx, NULL, enumx_name(&observation_wanted_enumx, (int)f.status)));
    json_set(c->arena, p->model, "sensors", enum_choices(c, &sensor_type_enumx, "any", page_query(p, "sensor_type")));
    json_set(c->arena, p->model, "severities", enum_choices(c, &observation_severity_enumx, "any", page_query(p, "severity")));
    TRY(watch_put_agents(c, p, "agents", "any", page_query(p, "agent_id")));
    return page_show(p, "observations");
}

const struct page_row observation_pages[] = {
    {.method = "GET", .path = "/admin/observations", .name = "page.observations", .op = "observation.list", .perm = PERM_OVERSIGHT_READ,
     .run = observation_list_page, .nav = {.label = "Observations", .icon = "jobs"}},
    {.method = "POST", .path = "/admin/observations/:id/process", .name = "page.observations.process", .perm = PERM_OVERSIGHT_WRITE,
     .does = "observation.process", .said = "Processed.", .go = "/admin/observations", .again = observation_list_page},
    {0},
};
