/* The page Review: facts and episodes that wait for a decision, and edits of core blocks that wait for votes. */
#include "review.h"

#include "attest_html.h"
#include "core_block.h"
#include "limit.h"
#include "parts_html.h"

#define AT "/admin/review"

static void put_review(struct ctx *c, struct json *row, const struct review_item *r)
{
    put_id(c, row, "id", r->id);
    json_set_str(c->arena, row, "kind", enumx_name(&review_kind_enumx, (int)r->kind));
    json_set_str(c->arena, row, "text", r->text);
    json_set_str(c->arena, row, "reason", r->reason);
    put_id(c, row, "other_id", r->other_id);
    json_set_str(c->arena, row, "other_text", r->other_text);
    json_set_str(c->arena, row, "trust", arena_printf(c->arena, "%.2f", r->trust));
    put_time(c, row, "at", r->at);
}

static err put_core_edits(struct ctx *c, struct page_call *p)
{
    struct json *rows = put_list(c, p->model, "edits");
    const struct core_edit *e;
    struct list edits;

    TRY(core_edit_list(c, &edits));
    e = edits.v;
    for (size_t i = 0; i < edits.n; i++) {
        struct json *row = add_row(c, rows);

        put_id(c, row, "id", e[i].id);
        put_id(c, row, "block_id", e[i].block_id);
        json_set_str(c->arena, row, "content", e[i].content);
        json_set_str(c->arena, row, "votes", arena_printf(c->arena, "%lld", (long long)e[i].votes));
        json_set_str(c->arena, row, "needs_votes", arena_printf(c->arena, "%lld", (long long)e[i].needs_votes));
        put_time(c, row, "at", e[i].at);
    }
    return ERR_OK;
}

static err review_page(struct ctx *c, struct page_call *p)
{
    struct review_filter f = {.kind = query_enum(p, "kind", &review_kind_enumx), .limit = LIMIT_PAGE_DEFAULT,
                              .cursor = page_query(p, "cursor")};
    struct json *rows = put_list(c, p->model, "items");
    const struct review_item *r;
    struct page page;

    TRY(review_list(c, &f, &page));
    r = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_review(c, add_row(c, rows), &r[i]);
    TRY(put_core_edits(c, p));
    put_listing(c, p, AT, &page);
    json_set(c->arena, p->model, "kinds", enum_choices(c, &review_kind_enumx, "any", page_query(p, "kind")));
    json_set_bool(c->arena, p->model, "may_decide", page_may(c, PERM_BELIEF_REVIEW));
    return page_show(p, "review");
}

const struct page_row review_pages[] = {
    {.method = "GET", .path = AT, .name = "page.review", .op = "review.list", .perm = PERM_BELIEF_READ, .run = review_page,
     .nav = {.label = "Review", .icon = "audit", .key = "z"}},
    {.method = "POST", .path = AT "/:id", .name = "page.review.decide", .perm = PERM_BELIEF_REVIEW, .does = "review.decide",
     .said = "Decided.", .go = AT, .again = review_page},
    {.method = "POST", .path = AT "/edits/:id", .name = "page.core_edit.vote", .perm = PERM_MEMORY_WRITE, .does = "core_edit.vote",
     .said = "Approved.", .go = AT, .again = review_page},
    {0},
};
