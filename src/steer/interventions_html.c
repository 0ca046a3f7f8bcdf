/* The page Intervention policies: who is asked or told, a form that says what would happen, and one policy. */
#include "intervention.h"

#include "limit.h"
#include "steer_html.h"
#include "trust.h"

#define AT "/admin/interventions"

/* ---- conditions as fields of a form */

static const char *intervention_typed(const struct page_call *p, const char *name, const char *otherwise)
{
    const char *posted = page_form(p, name);

    return p->is_again ? posted : otherwise;
}

static void intervention_put_conditions(struct ctx *c, struct page_call *p, const struct json *conditions)
{
    const struct json *quiet = json_get(conditions, "quiet_hours"), *most = json_get(conditions, "max_daily_notifications");
    struct json *o = json_set(c->arena, p->model, "conditions", json_obj(c->arena));

    json_set(c->arena, o, "tiers", enum_choices(c, &trust_tier_enumx, "any",
        intervention_typed(p, "trust_tier_minimum", json_get_str(conditions, "trust_tier_minimum"))));
    json_set(c->arena, o, "severities",
        enum_choices(c, &urgency_enumx, "any", intervention_typed(p, "severity_max", json_get_str(conditions, "severity_max"))));
    json_set_str(c->arena, o, "start", intervention_typed(p, "quiet_start", json_get_str(quiet, "start")));
    json_set_str(c->arena, o, "end", intervention_typed(p, "quiet_end", json_get_str(quiet, "end")));
    json_set_str(c->arena, o, "tz", intervention_typed(p, "quiet_tz", json_get_str(quiet, "tz")));
    json_set_str(c->arena, o, "most", intervention_typed(p, "most", most ? json_text(c->arena, most) : NULL));
}

static struct json *intervention_conditions_of(struct ctx *c, const struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *o = json_set(c->arena, extra, "conditions", json_obj(c->arena)), *quiet;
    const char *most = page_form(p, "most");
    int64_t n;

    if (page_form(p, "trust_tier_minimum"))
        json_set_str(c->arena, o, "trust_tier_minimum", page_form(p, "trust_tier_minimum"));
    if (page_form(p, "severity_max"))
        json_set_str(c->arena, o, "severity_max", page_form(p, "severity_max"));
    if (most)
        json_set(c->arena, o, "max_daily_notifications", str_to_i64(most, &n) ? json_int(c->arena, n) : json_str(c->arena, most));
    if (page_form(p, "quiet_start") || page_form(p, "quiet_end")) {
        quiet = json_set(c->arena, o, "quiet_hours", json_obj(c->arena));
        json_set_str(c->arena, quiet, "start", page_form(p, "quiet_start"));
        json_set_str(c->arena, quiet, "end", page_form(p, "quiet_end"));
        json_set_str(c->arena, quiet, "tz", page_form(p, "quiet_tz") ? page_form(p, "quiet_tz") : "UTC");
    }
    return extra;
}

/* The form of a policy, with agents and people by name. */
static err intervention_put_form(struct ctx *c, struct page_call *p, unsigned use, const struct intervention *row)
{
    struct json *form = put_form(c, p, "fields", &INTERVENTION, use, row), *agents, *people;

    TRY(steer_agents(c, "every agent", json_get_str(form_field(form, "agent_id"), "value"), &agents));
    TRY(steer_people(c, "everybody", json_get_str(form_field(form, "user_id"), "value"), &people));
    form_choices(c, form, "agent_id", agents);
    form_choices(c, form, "user_id", people);
    intervention_put_conditions(c, p, row ? json_opened(c->arena, row->conditions) : NULL);
    return ERR_OK;
}

/* ---- what would happen */

static void intervention_put_considered(struct ctx *c, struct json *rows, const struct intervention_answer *a)
{
    const struct intervention_considered *v = a->considered.v;

    for (size_t i = 0; i < a->considered.n; i++) {
        struct json *row = add_row(c, rows);

        put_id(c, row, "id", v[i].policy_id);
        json_set_str(c->arena, row, "policy", enumx_name(&intervention_rule_enumx, (int)v[i].policy));
        json_set_str(c->arena, row, "scope", enumx_name(&intervention_scope_enumx, (int)v[i].scope));
        json_set_str(c->arena, row, "action", enumx_name(&intervention_category_enumx, (int)v[i].action_category));
        json_set_str(c->arena, row, "why", v[i].why);
        json_set_bool(c->arena, row, "won", v[i].won);
    }
}

static err intervention_put_test(struct ctx *c, struct page_call *p)
{
    int action = query_enum(p, "action", &intervention_category_enumx), severity = query_enum(p, "severity", &urgency_enumx);
    struct intervention_question q = {.severity = severity < 0 ? URGENCY_MEDIUM : (enum urgency)severity};
    const char *agent = page_query(p, "agent"), *person = page_query(p, "person");
    struct json *test = json_set(c->arena, p->model, "test", json_obj(c->arena)), *agents, *people, *said;
    struct intervention_answer a;

    TRY(steer_agents(c, "no agent", agent, &agents));
    TRY(steer_people(c, "no person", person, &people));
    json_set(c->arena, test, "agents", agents);
    json_set(c->arena, test, "people", people);
    json_set(c->arena, test, "actions", enum_choices(c, &intervention_category_enumx, NULL, page_query(p, "action")));
    json_set(c->arena, test, "severities", enum_choices(c, &urgency_enumx, NULL, enumx_name(&urgency_enumx, (int)q.severity)));
    if (action < 0)
        return ERR_OK;
    q.action_category = (enum intervention_category)action;
    if ((agent && !uuid_parse(agent, &q.agent_id)) || (person && !uuid_parse(person, &q.user_id)))
        return fail(c, ERR_NOT_FOUND, "no such agent or person");
    TRY(intervention_ask(c, &q, &a));
    said = json_set(c->arena, test, "answer", json_obj(c->arena));
    json_set_str(c->arena, said, "policy", enumx_name(&intervention_rule_enumx, (int)a.policy));
    json_set_str(c->arena, said, "reason", a.reason);
    put_time(c, said, "deliver_at", a.deliver_at);
    intervention_put_considered(c, put_list(c, said, "considered"), &a);
    return ERR_OK;
}

/* ---- pages */

static err interventions_page(struct ctx *c, struct page_call *p)
{
    struct intervention_filter f = {.action_category = query_enum(p, "action_category", &intervention_category_enumx),
                                    .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct json *agents, *people, *row;
    const struct intervention *v;
    struct page page;

    TRY(intervention_list(c, &f, &page));
    TRY(steer_agents(c, "", NULL, &agents));
    TRY(steer_people(c, "", NULL, &people));
    put_things(c, p->model, "policies", &INTERVENTION, &page);
    row = json_get(p->model, "policies")->first;
    v = page.items;
    for (size_t i = 0; i < page.n; i++, row = row->next) {
        json_set_str(c->arena, row, "agent", steer_name(c, agents, v[i].agent_id));
        json_set_str(c->arena, row, "person", steer_name(c, people, v[i].user_id));
    }
    put_listing(c, p, AT, &page);
    json_set(c->arena, p->model, "categories", enum_choices(c, &intervention_category_enumx, "any", page_query(p, "action_category")));
    TRY(intervention_put_form(c, p, COL_CREATE, NULL));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    TRY(intervention_put_test(c, p));
    steer_tabs(c, p, AT);
    return page_show(p, "interventions");
}

static err intervention_page(struct ctx *c, struct page_call *p)
{
    struct intervention row;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(intervention_get(c, id, &row));
    put_thing(c, json_set(c->arena, p->model, "policy", json_obj(c->arena)), &INTERVENTION, &row);
    TRY(intervention_put_form(c, p, COL_PATCH, &row));
    return page_show(p, "intervention");
}

static err intervention_page_create(struct ctx *c, struct page_call *p)
{
    TRY(page_run(c, p, "intervention_policy.create", intervention_conditions_of(c, p), NULL));
    page_say(c, p, "ok", "Policy created.");
    return page_go(c, p, AT);
}

static err intervention_page_update(struct ctx *c, struct page_call *p)
{
    struct json *extra = intervention_conditions_of(c, p);

    json_set_str(c->arena, extra, "id", p->params[0]);
    TRY(page_run(c, p, "intervention_policy.update", extra, NULL));
    page_say(c, p, "ok", "Saved.");
    return page_go(c, p, AT);
}

const struct page_row interventions_pages[] = {
    {.method = "GET", .path = AT, .name = "page.interventions", .op = "intervention_policy.list", .perm = PERM_OVERSIGHT_READ,
     .run = interventions_page},
    {.method = "POST", .path = AT, .name = "page.intervention.create", .perm = PERM_OVERSIGHT_MANAGE, .run = intervention_page_create,
     .again = interventions_page},
    {.method = "GET", .path = AT "/:id", .name = "page.intervention", .op = "intervention_policy.get", .perm = PERM_OVERSIGHT_READ,
     .run = intervention_page},
    {.method = "POST", .path = AT "/:id", .name = "page.intervention.update", .perm = PERM_OVERSIGHT_MANAGE,
     .run = intervention_page_update, .again = intervention_page},
    {.method = "POST", .path = AT "/:id/delete", .name = "page.intervention.delete", .perm = PERM_OVERSIGHT_MANAGE,
     .does = "intervention_policy.delete", .said = "Policy removed.", .go = AT, .again = intervention_page},
    {0},
};
