/* The pages Escalations: the list, and one of them with its chain, its clock and what can be done. */
#include "escalation.h"
#include "limit.h"
#include "model.h"
#include "oversight_html.h"
#include "parts_html.h"
#include "user.h"

#define AT "/admin/escalations"
#define USERS_SHOWN 100

static err escalations_page(struct ctx *c, struct page_call *p)
{
    int status = query_enum(p, "status", &escalation_wanted_enumx);
    struct escalation_filter f = {.status = status < 0 ? ESCALATION_UNRESOLVED : (enum escalation_wanted)status,
                                  .severity = query_enum(p, "severity", &escalation_severity_enumx),
                                  .type = query_enum(p, "type", &escalation_type_enumx), .limit = LIMIT_PAGE_DEFAULT,
                                  .cursor = page_query(p, "cursor")};
    struct page page;

    TRY(escalation_list(c, &f, &page));
    put_things(c, p->model, "items", &ESCALATION_ROW, &page);
    put_listing(c, p, AT, &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &escalation_wanted_enumx, NULL, page_query(p, "status")));
    json_set(c->arena, p->model, "severities", enum_choices(c, &escalation_severity_enumx, "any", page_query(p, "severity")));
    json_set(c->arena, p->model, "types", enum_choices(c, &escalation_type_enumx, "any", page_query(p, "type")));
    return page_show(p, "escalations");
}

static const char *user_name(const struct user *all, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(all[i].id, id))
            return all[i].name;
    return NULL;
}

/* The people of the chain by name, and all others whom it can be handed to. */
static err put_people(struct ctx *c, struct page_call *p, const struct escalation *e)
{
    struct json *chain = put_list(c, p->model, "chain"), *options = put_list(c, p->model, "people");
    const struct user *all;
    struct page users;
    int64_t level = 0;

    TRY(user_list(c, &(struct user_filter){.status = -1, .limit = USERS_SHOWN}, &users));
    all = users.items;
    for (const struct json *j = json_is(e->chain, JSON_ARR) ? e->chain->first : NULL; j; j = j->next, level++) {
        struct json *row = add_row(c, chain);
        struct uuid id = {{0}};

        uuid_parse(json_get_str(j, "user_id"), &id);
        put_id(c, row, "id", id);
        json_set_str(c->arena, row, "name", user_name(all, users.n, id));
        json_set_str(c->arena, row, "role", json_get_str(j, "role"));
        json_set_bool(c->arena, row, "is_asked", uuid_eq(id, e->escalated_to));
        json_set_bool(c->arena, row, "is_past", level < e->current_level);
    }
    for (size_t i = 0; i < users.n; i++)
        if (all[i].status == USER_ACTIVE && !uuid_eq(all[i].id, e->escalated_to))
            add_choice(c, options, arena_strdup(c->arena, UUID_STR(all[i].id)), all[i].name, false);
    json_set_bool(c->arena, p->model, "has_people", options->first);
    return ERR_OK;
}

static err escalation_page(struct ctx *c, struct page_call *p)
{
    struct json *item = json_set(c->arena, p->model, "item", json_obj(c->arena));
    struct escalation e;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(escalation_get(c, id, &e));
    put_thing(c, item, &ESCALATION, &e);
    json_set_str(c->arena, item, "query", json_get_str(e.context, "query"));
    json_set_str(c->arena, item, "context", e.context && e.context->first ? json_text(c->arena, e.context) : NULL);
    json_set_bool(c->arena, item, "is_open", !e.resolved_at.us);
    json_set_bool(c->arena, item, "may_acknowledge", !e.acknowledged_at.us);
    json_set_bool(c->arena, item, "may_start", e.status != ESCALATION_IS_STARTED);
    TRY(put_people(c, p, &e));
    json_set(c->arena, p->model, "kinds", enum_choices(c, &answer_kind_enumx, NULL, page_form(p, "kind")));
    json_set(c->arena, p->model, "severities",
             enum_choices(c, &escalation_severity_enumx, NULL, enumx_name(&escalation_severity_enumx, (int)e.severity)));
    json_set_bool(c->arena, p->model, "may_decide", !e.resolved_at.us && page_may(c, PERM_OVERSIGHT_REVIEW));
    return page_show(p, "escalation");
}

#define STEP(verb, said_) \
    {.method = "POST", .path = AT "/:id/" verb, .name = "page.escalation." verb, .perm = PERM_OVERSIGHT_REVIEW, \
     .does = "escalation." verb, .said = said_, .go = AT "/:id", .again = escalation_page}

const struct page_row escalation_pages[] = {
    {.method = "GET", .path = AT, .name = "page.escalations", .op = "escalation.list", .perm = PERM_OVERSIGHT_READ, .run = escalations_page,
     .nav = {.label = "Escalations", .icon = "alert"}},
    {.method = "GET", .path = AT "/:id", .name = "page.escalation", .op = "escalation.get", .perm = PERM_OVERSIGHT_READ,
     .run = escalation_page},
    STEP("acknowledge", "You have it."),
    STEP("start", "Started."),
    STEP("reassign", "Handed over."),
    STEP("severity", "Severity changed."),
    STEP("answer", "Answered: it is a memory now."),
    STEP("resolve", "Resolved."),
    {0},
};
