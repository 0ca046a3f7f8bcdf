/* The page Recommendations: what jobs suggest, and one of them to apply, undo, approve or dismiss. */
#include "recommendation.h"

#include "limit.h"
#include "steer_html.h"

#define AT "/admin/recommendations"

static err recommendations_page(struct ctx *c, struct page_call *p)
{
    const char *status = page_query(p, "status");
    int wanted = status ? query_enum(p, "status", &recommendation_wanted_enumx) : WANTED_PENDING;
    struct recommendation_filter f = {.recommendation_type = query_enum(p, "type", &recommendation_type_enumx),
                                      .status = wanted < 0 ? WANTED_PENDING : (enum recommendation_wanted)wanted,
                                      .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct page page;

    TRY(recommendation_list(c, &f, &page));
    put_things(c, p->model, "recommendations", &RECOMMENDATION, &page);
    put_listing(c, p, AT, &page);
    json_set(c->arena, p->model, "types", enum_choices(c, &recommendation_type_enumx, "any", page_query(p, "type")));
    json_set(c->arena, p->model, "statuses",
        enum_choices(c, &recommendation_wanted_enumx, NULL, enumx_name(&recommendation_wanted_enumx, (int)f.status)));
    steer_tabs(c, p, AT);
    return page_show(p, "recommendations");
}

/* Where the thing it is about is shown; NULL: nowhere. */
static const char *recommendation_href(struct ctx *c, const struct recommendation *r)
{
    const char *at = str_eq(r->target_kind, "skill") ? "/admin/skills" : str_eq(r->target_kind, "agent") ? "/admin/agents" : NULL;

    return at ? arena_printf(c->arena, "%s/%s", at, UUID_STR(r->target_id)) : NULL;
}

static void recommendation_put_evidence(struct ctx *c, struct json *rows, const struct json *evidence)
{
    for (const struct json *m = evidence ? evidence->first : NULL; m; m = m->next) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "name", m->key);
        json_set_str(c->arena, row, "value", json_is(m, JSON_STR) ? m->s : json_text(c->arena, m));
    }
}

static err recommendation_page(struct ctx *c, struct page_call *p)
{
    struct json *changes = json_obj(c->arena), *one = json_set(c->arena, p->model, "recommendation", json_obj(c->arena));
    struct recommendation r;
    bool decides, is_open;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(recommendation_get(c, id, &r));
    put_thing(c, one, &RECOMMENDATION, &r);
    json_set_str(c->arena, one, "target_href", recommendation_href(c, &r));
    recommendation_put_evidence(c, put_list(c, p->model, "evidence"), json_opened(c->arena, r.evidence));
    json_set(c->arena, changes, "before", json_raw(c->arena, json_text(c->arena, r.current_config)));
    json_set(c->arena, changes, "after", json_raw(c->arena, json_text(c->arena, r.recommended_config)));
    json_set(c->arena, p->model, "diff", steer_diff(c, json_raw(c->arena, json_text(c->arena, changes))));
    decides = page_may(c, PERM_OVERSIGHT_REVIEW);
    is_open = r.status <= ADVICE_APPROVED;
    json_set_bool(c->arena, p->model, "may_apply", decides && is_open && r.recommendation_type != ADVISE_QUALITY);
    json_set_bool(c->arena, p->model, "may_approve", decides && r.status == ADVICE_PENDING);
    json_set_bool(c->arena, p->model, "may_dismiss", decides && is_open);
    json_set_bool(c->arena, p->model, "may_undo", decides && r.status == ADVICE_APPLIED && r.way_back);
    return page_show(p, "recommendation");
}

#define RECOMMENDATION_POST(verb, said_) \
    {.method = "POST", .path = AT "/:id/" verb, .name = "page.recommendation." verb, .perm = PERM_OVERSIGHT_REVIEW, \
     .does = "recommendation." verb, .said = said_, .go = AT "/:id", .again = recommendation_page}

const struct page_row recommendations_pages[] = {
    {.method = "GET", .path = AT, .name = "page.recommendations", .op = "recommendation.list", .perm = PERM_OVERSIGHT_READ,
     .run = recommendations_page},
    {.method = "GET", .path = AT "/:id", .name = "page.recommendation", .op = "recommendation.get", .perm = PERM_OVERSIGHT_READ,
     .run = recommendation_page},
    RECOMMENDATION_POST("apply", "Done. It can be undone here."),
    RECOMMENDATION_POST("undo", "Undone."),
    RECOMMENDATION_POST("approve", "Approved."),
    RECOMMENDATION_POST("dismiss", "Dismissed."),
    {0},
};
