/* The page Erasures: what would go with a memory, erasing it, and the receipts. */
#include "erase.h"
#include "lifecycle_html.h"
#include "limit.h"
#include "parts_html.h"

#define AT "/admin/erasures"

/* The plan of the dry run before, for the form that confirms it. */
static void put_plan(struct ctx *c, struct page_call *p)
{
    const struct json *kinds = json_get(p->once, "kinds");
    struct json *plan, *rows;

    if (!json_get_str(p->once, "confirm"))
        return;
    plan = json_set(c->arena, p->model, "plan", json_obj(c->arena));
    for (const char *const *name = (const char *const[]){"confirm", "node_id", "reason", "nodes", "spared", NULL}; *name; name++)
        json_set_str(c->arena, plan, *name, json_get_str(p->once, *name));
    rows = put_list(c, plan, "kinds");
    for (const struct json *k = kinds ? kinds->first : NULL; k; k = k->next) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "kind", k->key);
        json_set_str(c->arena, row, "n", json_text(c->arena, k));
    }
}

static err erasures_page(struct ctx *c, struct page_call *p)
{
    struct thing_page in = {.limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct page page;

    TRY(erase_list(c, &in, &page));
    put_things(c, p->model, "receipts", &ERASE_RECEIPT, &page);
    put_listing(c, p, AT, &page);
    put_plan(c, p);
    json_set_str(c->arena, p->model, "node_id", chosen(p, "node_ids", page_query(p, "node")));
    json_set_str(c->arena, p->model, "reason", chosen(p, "reason", NULL));
    return page_show(p, "erasures");
}

static err erasure_plan(struct ctx *c, struct page_call *p)
{
    struct json *keep = json_obj(c->arena);
    struct call_result r;

    TRY(page_run(c, p, "erasure.create", NULL, &r));
    json_set_str(c->arena, keep, "confirm", json_get_str(r.data, "confirm"));
    json_set_str(c->arena, keep, "node_id", page_form(p, "node_ids"));
    json_set_str(c->arena, keep, "reason", page_form(p, "reason"));
    json_set_str(c->arena, keep, "nodes", json_text(c->arena, json_get(r.data, "nodes")));
    json_set_str(c->arena, keep, "spared", json_text(c->arena, json_get(r.data, "spared")));
    json_set(c->arena, keep, "kinds", json_raw(c->arena, json_text(c->arena, json_get(json_get(r.data, "counts"), "kinds"))));
    page_once(p, keep);
    return page_go(c, p, AT);
}

static err erasure_do(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    json_set_bool(c->arena, extra, "dry_run", false);
    TRY(page_run(c, p, "erasure.create", extra, &r));
    page_say(c, p, "ok", "Erased. This is the receipt.");
    return page_go(c, p, AT "/%s", json_get_str(r.data, "receipt_id"));
}

static err erasure_page(struct ctx *c, struct page_call *p)
{
    struct erase_shown shown;
    struct json *rows = put_list(c, p->model, "items"), *remains;
    const struct erase_item *v;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(erase_get(c, id, &shown));
    put_thing(c, json_set(c->arena, p->model, "receipt", json_obj(c->arena)), &ERASE_RECEIPT, shown.receipt);
    json_set_bool(c->arena, p->model, "is_genuine", shown.is_genuine);
    v = shown.items.v;
    for (size_t i = 0; i < shown.items.n; i++) {
        struct json *row = add_row(c, rows);

        put_id(c, row, "id", v[i].node_id);
        json_set_str(c->arena, row, "kind", v[i].kind);
    }
    remains = put_list(c, p->model, "remains");
    for (const struct json *k = shown.remains->first; k; k = k->next)
        json_set_str(c->arena, add_row(c, remains), "text", k->s);
    return page_show(p, "erasure");
}

const struct page_row erasure_pages[] = {
    {.method = "GET", .path = AT, .name = "page.erasures", .op = "erasure.list", .perm = PERM_ERASE_RUN, .run = erasures_page},
    {.method = "POST", .path = AT "/plan", .name = "page.erasure.plan", .perm = PERM_ERASE_RUN, .run = erasure_plan,
     .again = erasures_page},
    {.method = "POST", .path = AT, .name = "page.erasure.run", .perm = PERM_ERASE_RUN, .run = erasure_do, .again = erasures_page},
    {.method = "GET", .path = AT "/:id", .name = "page.erasure", .op = "erasure.get", .perm = PERM_ERASE_RUN, .run = erasure_page},
    {0},
};
