/* What the pages of proposals, policies and recommendations have in common. */
#include "agent.h"
#include "diff.h"
#include "limit.h"
#include "steer_html.h"
#include "user.h"

void steer_tabs(struct ctx *c, struct page_call *p, const char *at)
{
    static const char *const PAGES[][2] = {{"Proposals", "/admin/proposals"}, {"Recommendations", "/admin/recommendations"},
        {"Intervention policies", "/admin/interventions"}};
    struct json *list = put_list(c, p->model, "tabs");

    json_set_str(c->arena, p->model, "tabs_label", "Steering");
    for (size_t i = 0; i < sizeof PAGES / sizeof *PAGES; i++)
        add_tab(c, list, PAGES[i][0], PAGES[i][1], str_eq(PAGES[i][1], at));
}

static void steer_choice(struct ctx *c, struct json *list, struct uuid id, const char *name, const char *chosen_)
{
    const char *value = arena_strdup(c->arena, UUID_STR(id));

    add_choice(c, list, value, name, str_eq(value, chosen_));
}

err steer_agents(struct ctx *c, const char *any, const char *chosen_, struct json **out)
{
    const struct agent *v;
    struct page page;

    *out = json_arr(c->arena);
    TRY(agent_list(c, &(struct agent_filter){.status = -1, .limit = LIMIT_PAGE}, &page));
    v = page.items;
    add_choice(c, *out, "", any, !chosen_);
    for (size_t i = 0; i < page.n; i++)
        steer_choice(c, *out, v[i].id, v[i].name, chosen_);
    return ERR_OK;
}

err steer_people(struct ctx *c, const char *any, const char *chosen_, struct json **out)
{
    const struct user *v;
    struct page page;

    *out = json_arr(c->arena);
    TRY(user_list(c, &(struct user_filter){.status = USER_ACTIVE, .limit = LIMIT_PAGE}, &page));
    v = page.items;
    add_choice(c, *out, "", any, !chosen_);
    for (size_t i = 0; i < page.n; i++)
        steer_choice(c, *out, v[i].id, v[i].name, chosen_);
    return ERR_OK;
}

const char *steer_name(struct ctx *c, const struct json *choices, struct uuid id)
{
    const char *text = arena_strdup(c->arena, UUID_STR(id));

    if (uuid_is_nil(id))
        return NULL;
    for (const struct json *o = choices->first; o; o = o->next)
        if (str_eq(json_get_str(o, "value"), text))
            return json_get_str(o, "text");
    return text;
}

/* ---- what would be another */

static void steer_side(struct ctx *c, struct json *side, const char *name, const struct json *value)
{
    if (value)
        json_set(c->arena, side, name, arena_memdup(c->arena, value, sizeof *value));
}

static const char *steer_side_text(struct ctx *c, const struct json *side)
{
    return side->first ? json_text_pretty(c->arena, side) : "";
}

struct json *steer_diff(struct ctx *c, const struct json *changes)
{
    const struct json *all = json_opened(c->arena, changes), *was = json_get(all, "before"), *will = json_get(all, "after");
    struct json *before = json_obj(c->arena), *after = json_obj(c->arena);

    if (json_is(was, JSON_OBJ) && json_is(will, JSON_OBJ))
        return model_diff(c->arena, steer_side_text(c, was), steer_side_text(c, will));
    for (const struct json *m = all->first; m; m = m->next) {
        bool both = json_is(m, JSON_OBJ) && json_get(m, "to");

        if (both)
            steer_side(c, before, m->key, json_get(m, "from"));
        steer_side(c, after, m->key, both ? json_get(m, "to") : m);
    }
    return model_diff(c->arena, steer_side_text(c, before), steer_side_text(c, after));
}
