/* The page Proposals: what agents propose, many to decide at once, and one of them with what it would change. */
#include "limit.h"
#include "proposal.h"
#include "steer_html.h"

#define AT "/admin/proposals"

static err proposals_page(struct ctx *c, struct page_call *p)
{
    struct proposal_filter f = {.status = query_enum(p, "status", &proposal_status_enumx),
                                .proposal_type = query_enum(p, "type", &proposal_type_enumx), .overdue = page_query(p, "overdue"),
                                .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    const char *agent = page_query(p, "agent_id");
    struct json *agents, *rows;
    struct page page;
    const struct proposal *v;

    if (agent && !uuid_parse(agent, &f.agent_id))
        return fail(c, ERR_NOT_FOUND, "no such agent");
    TRY(proposal_list(c, &f, &page));
    TRY(steer_agents(c, "any", agent, &agents));
    put_things(c, p->model, "proposals", &PROPOSAL, &page);
    rows = json_get(p->model, "proposals")->first;
    v = page.items;
    for (size_t i = 0; i < page.n; i++, rows = rows->next) {
        json_set_str(c->arena, rows, "agent", steer_name(c, agents, v[i].agent_id));
        json_set_bool(c->arena, rows, "is_open", v[i].status == REVIEW_PENDING);
    }
    json_set(c->arena, p->model, "agents", agents);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &proposal_status_enumx, "any", page_query(p, "status")));
    json_set(c->arena, p->model, "types", enum_choices(c, &proposal_type_enumx, "any", page_query(p, "type")));
    json_set_bool(c->arena, p->model, "overdue", f.overdue);
    json_set_bool(c->arena, p->model, "may_decide", page.n && page_may(c, PERM_OVERSIGHT_REVIEW));
    put_listing(c, p, AT, &page);
    steer_tabs(c, p, AT);
    return page_show(p, "proposals");
}

static err proposals_decide(struct ctx *c, struct page_call *p)
{
    struct strs ticked = page_form_all(c, p, "ids[]");
    struct json *extra = json_obj(c->arena), *ids = json_set(c->arena, extra, "ids", json_arr(c->arena));
    struct call_result r;

    if (!ticked.n)
        return fail_field(c, "/ids", "choose the proposals first");
    for (size_t i = 0; i < ticked.n; i++)
        json_push(ids, json_str(c->arena, ticked.v[i]));
    TRY(page_run(c, p, "proposal.batch_review", extra, &r));
    page_say(c, p, json_get_int(r.data, "failed", 0) ? "warn" : "ok", "%lld decided, %lld not.",
        (long long)json_get_int(r.data, "decided", 0), (long long)json_get_int(r.data, "failed", 0));
    for (const struct json *item = json_get(r.data, "items")->first; item; item = item->next)
        if (json_get_str(item, "code"))
            page_say(c, p, "warn", "%s: %s.", json_get_str(item, "id"), json_get_str(item, "detail"));
    return page_go(c, p, AT);
}

static err proposal_page(struct ctx *c, struct page_call *p)
{
    struct json *agents, *people, *one = json_set(c->arena, p->model, "proposal", json_obj(c->arena));
    bool is_own, is_open;
    struct proposal row;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(proposal_get(c, id, &row));
    TRY(steer_agents(c, "", NULL, &agents));
    TRY(steer_people(c, "", NULL, &people));
    put_thing(c, one, &PROPOSAL, &row);
    json_set_str(c->arena, one, "agent", steer_name(c, agents, row.agent_id));
    json_set_str(c->arena, one, "reviewer", steer_name(c, people, row.target_user_id));
    json_set_str(c->arena, one, "decided_by", steer_name(c, people, row.reviewed_by));
    json_set(c->arena, p->model, "diff", steer_diff(c, row.proposed_changes));
    json_set_str(c->arena, p->model, "impact", json_text_pretty(c->arena, json_opened(c->arena, row.impact_assessment)));
    is_own = uuid_eq(row.agent_id, c->who->id) || uuid_eq(row.created_by, c->who->id);
    is_open = row.status == REVIEW_PENDING && row.review_deadline.us > c->now.us;
    json_set_bool(c->arena, p->model, "may_decide", is_open && !is_own && page_may(c, PERM_OVERSIGHT_REVIEW));
    json_set_bool(c->arena, p->model, "may_reopen", row.status == REVIEW_EXPIRED && page_may(c, PERM_OVERSIGHT_REVIEW));
    json_set_bool(c->arena, p->model, "may_withdraw", (is_open || row.status == REVIEW_APPROVED) && page_may(c, PERM_OVERSIGHT_WRITE));
    json_set_bool(c->arena, p->model, "may_implement", row.status == REVIEW_APPROVED && page_may(c, PERM_OVERSIGHT_WRITE));
    return page_show(p, "proposal");
}

#define PROPOSAL_POST(verb, perm_, said_) \
    {.method = "POST", .path = AT "/:id/" verb, .name = "page.proposal." verb, .perm = perm_, .does = "proposal." verb, .said = said_, \
     .go = AT "/:id", .again = proposal_page}

const struct page_row proposals_pages[] = {
    {.method = "GET", .path = AT, .name = "page.proposals", .op = "proposal.list", .perm = PERM_OVERSIGHT_READ, .run = proposals_page,
     .nav = {.label = "Proposals", .icon = "audit", .also = {"/admin/recommendations", "/admin/interventions"}}},
    {.method = "POST", .path = AT "/batch", .name = "page.proposals.decide", .perm = PERM_OVERSIGHT_REVIEW, .run = proposals_decide,
     .again = proposals_page},
    {.method = "GET", .path = AT "/:id", .name = "page.proposal", .op = "proposal.get", .perm = PERM_OVERSIGHT_READ, .run = proposal_page},
    PROPOSAL_POST("approve", PERM_OVERSIGHT_REVIEW, "Approved."),
    PROPOSAL_POST("reject", PERM_OVERSIGHT_REVIEW, "Rejected."),
    PROPOSAL_POST("reopen", PERM_OVERSIGHT_REVIEW, "Open again, for 72 hours."),
    PROPOSAL_POST("withdraw", PERM_OVERSIGHT_WRITE, "Withdrawn."),
    PROPOSAL_POST("implemented", PERM_OVERSIGHT_WRITE, "Marked as carried out."),
    {0},
};
