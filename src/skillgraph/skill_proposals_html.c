/* The page Proposals: those that wait for a review first, and one of them. */
#include "limit.h"
#include "parts_html.h"
#include "skill_proposal.h"
#include "skillgraph_html.h"
#include "thing.h"

static err skill_proposals_page(struct ctx *c, struct page_call *p)
{
    struct skill_proposal_filter f = {.status = query_enum(p, "status", &skill_proposal_status_enumx), .limit = LIMIT_PAGE_DEFAULT,
                                      .cursor = page_query(p, "cursor")};
    struct page page;

    TRY(skill_proposal_list(c, &f, &page));
    put_things(c, p->model, "proposals", &SKILL_PROPOSAL, &page);
    put_listing(c, p, "/admin/skills/proposals", &page);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &skill_proposal_status_enumx, "any", page_query(p, "status")));
    return page_show(p, "skill_proposals");
}

static void put_proposal_needs(struct ctx *c, struct json *list, const struct json *needs)
{
    for (const struct json *n = needs ? needs->first : NULL; n; n = n->next) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", json_get_str(n, "name"));
        json_set_str(c->arena, row, "relation", json_get_str(n, "relation"));
        json_set_str(c->arena, row, "skill_id", json_get_str(n, "skill_id"));
        json_set_str(c->arena, row, "child_proposal_id", json_get_str(n, "child_proposal_id"));
    }
}

static void put_proposal_near(struct ctx *c, struct json *list, const struct json *near_)
{
    for (const struct json *n = near_ ? near_->first : NULL; n; n = n->next) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "skill_id", json_get_str(n, "skill_id"));
        json_set_str(c->arena, row, "name", json_get_str(n, "name"));
        json_set_str(c->arena, row, "similarity", arena_printf(c->arena, "%.2f", json_number(json_get(n, "similarity"))));
    }
}

static err skill_proposal_page(struct ctx *c, struct page_call *p)
{
    struct skill_proposal s;
    bool is_own, is_open, reviews;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(skill_proposal_get(c, id, &s));
    is_own = uuid_eq(s.proposed_by, c->who->id);
    is_open = s.status <= PROPOSAL_UNDER_REVIEW;
    reviews = !is_own && page_may(c, PERM_SKILLS_REVIEW) && (s.status == PROPOSAL_SUBMITTED || s.status == PROPOSAL_UNDER_REVIEW);
    put_thing(c, json_set(c->arena, p->model, "proposal", json_obj(c->arena)), &SKILL_PROPOSAL, &s);
    put_proposal_needs(c, put_list(c, p->model, "needs"), json_opened(c->arena, s.suggested_dependencies));
    put_proposal_near(c, put_list(c, p->model, "near"), json_opened(c->arena, s.overlap_analysis));
    put_form(c, p, "fields", &SKILL_PROPOSAL, COL_PATCH, &s);
    json_set_bool(c->arena, p->model, "may_edit", is_open && page_may(c, PERM_SKILLS_WRITE));
    json_set_bool(c->arena, p->model, "may_submit", is_own && s.status == PROPOSAL_DRAFT);
    json_set_bool(c->arena, p->model, "may_withdraw", is_own && is_open);
    json_set_bool(c->arena, p->model, "may_claim", reviews && s.status == PROPOSAL_SUBMITTED);
    json_set_bool(c->arena, p->model, "may_decide", reviews);
    json_set_bool(c->arena, p->model, "may_create", s.status == PROPOSAL_APPROVED && page_may(c, PERM_SKILLS_REVIEW));
    return page_show(p, "skill_proposal");
}

const struct page_row skill_proposal_pages[] = {
    {.method = "GET", .path = "/admin/skills/proposals", .name = "page.skill_proposals", .op = "skill_proposal.list",
     .perm = PERM_SKILLS_READ, .run = skill_proposals_page},
    {.method = "GET", .path = "/admin/skills/proposals/:id", .name = "page.skill_proposal", .op = "skill_proposal.get",
     .perm = PERM_SKILLS_READ, .run = skill_proposal_page},
    {.method = "POST", .path = "/admin/skills/proposals/:id", .name = "page.skill_proposal.update", .perm = PERM_SKILLS_WRITE,
     .does = "skill_proposal.update", .said = "Saved.", .go = "/admin/skills/proposals/:id", .again = skill_proposal_page},
    {.method = "POST", .path = "/admin/skills/proposals/:id/submit", .name = "page.skill_proposal.submit", .perm = PERM_SKILLS_WRITE,
     .does = "skill_proposal.submit", .said = "Submitted for review.", .go = "/admin/skills/proposals/:id", .again = skill_proposal_page},
    {.method = "POST", .path = "/admin/skills/proposals/:id/withdraw", .name = "page.skill_proposal.withdraw", .perm = PERM_SKILLS_WRITE,
     .does = "skill_proposal.withdraw", .said = "Withdrawn.", .go = "/admin/skills/proposals/:id", .again = skill_proposal_page},
    {.method = "POST", .path = "/admin/skills/proposals/:id/claim", .name = "page.skill_proposal.claim", .perm = PERM_SKILLS_REVIEW,
     .does = "skill_proposal.claim_review", .said = "You review it.", .go = "/admin/skills/proposals/:id", .again = skill_proposal_page},
    {.method = "POST", .path = "/admin/skills/proposals/:id/approve", .name = "page.skill_proposal.approve", .perm = PERM_SKILLS_REVIEW,
     .does = "skill_proposal.approve", .said = "Approved. Create the skill now.", .go = "/admin/skills/proposals/:id",
     .again = skill_proposal_page},
    {.method = "POST", .path = "/admin/skills/proposals/:id/reject", .name = "page.skill_proposal.reject", .perm = PERM_SKILLS_REVIEW,
     .does = "skill_proposal.reject", .said = "Rejected.", .go = "/admin/skills/proposals/:id", .again = skill_proposal_page},
    {.method = "POST", .path = "/admin/skills/proposals/:id/create", .name = "page.skill_proposal.create", .perm = PERM_SKILLS_REVIEW,
     .does = "skill_proposal.create_skill", .said = "Skill created.", .go = "/admin/skills/proposals/:id", .again = skill_proposal_page},
    {0},
};
