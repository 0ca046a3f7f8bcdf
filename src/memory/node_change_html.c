/* What one does to a node on its page: say it anew, keep, weigh, put away, forget, bring back. */
#include "memory_html.h"

#include "node.h"

#define STEP 0.1 /* of a boost */

static err act(struct ctx *c, struct page_call *p, const char *op, struct json *extra, struct uuid *id)
{
    struct call_result r = {0};

    TRY(page_id(c, p, 0, id));
    put_id(c, extra, "id", *id);
    TRY(page_run(c, p, op, extra, &r));
    return page_go(c, p, "/admin/nodes/%s", UUID_STR(*id));
}

static void node_change_page_offer(struct ctx *c, struct page_call *p, struct uuid id, const char *verb, const char *text)
{
    offer_undo(c, p, arena_printf(c->arena, "/admin/nodes/%s/%s", UUID_STR(id), verb), "%s", text);
}

static err node_change_page_update(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    const char *body = form_text(c, p, "body");
    struct uuid id;

    json_set_str(c->arena, extra, "body", body ? body : "");
    TRY(act(c, p, "node.update", extra, &id));
    page_say(c, p, "ok", "Saved. The old content is kept as a version.");
    return ERR_OK;
}

/* An operation that another verb takes back. */
static err node_change_page_change(struct ctx *c, struct page_call *p, const char *op, const char *undo, const char *text)
{
    struct uuid id;

    TRY(act(c, p, op, json_obj(c->arena), &id));
    node_change_page_offer(c, p, id, undo, text);
    return ERR_OK;
}

static err node_change_page_pin(struct ctx *c, struct page_call *p)
{
    return node_change_page_change(c, p, "node.pin", "unpin", "Pinned: its importance does not decay and it is never evicted.");
}

static err unpin(struct ctx *c, struct page_call *p)
{
    return node_change_page_change(c, p, "node.unpin", "pin", "Unpinned: its importance decays from now on.");
}

static err node_change_page_weigh(struct ctx *c, struct page_call *p, double amount, const char *undo, const char *text)
{
    struct uuid id;
    struct node n;

    TRY(page_id(c, p, 0, &id));
    TRY(node_is_generic(c, id));
    TRY(node_boost(c, id, amount, &n));
    node_change_page_offer(c, p, id, undo, arena_printf(c->arena, "%s: importance is now %.2f.", text, n.importance_score));
    return page_go(c, p, "/admin/nodes/%s", UUID_STR(id));
}

static err node_change_page_boost(struct ctx *c, struct page_call *p)
{
    return node_change_page_weigh(c, p, STEP, "reduce", "More important");
}

static err node_change_page_reduce(struct ctx *c, struct page_call *p)
{
    return node_change_page_weigh(c, p, -STEP, "boost", "Less important");
}

static err node_change_page_archive(struct ctx *c, struct page_call *p)
{
    return node_change_page_change(c, p, "memory.archive", "unarchive", "Archived: recall and lists leave it out.");
}

static err node_change_page_unarchive(struct ctx *c, struct page_call *p)
{
    return node_change_page_change(c, p, "memory.unarchive", "archive", "Unarchived: recall and lists include it again.");
}

static err node_change_page_forget(struct ctx *c, struct page_call *p)
{
    TRY(node_change_page_change(c, p, "node.forget", "restore", "Forgotten: it is hidden from all reads."));
    return page_go(c, p, "/admin/nodes");
}

static err node_change_page_restore(struct ctx *c, struct page_call *p)
{
    struct uuid id;

    TRY(act(c, p, "node.restore", json_obj(c->arena), &id));
    page_say(c, p, "ok", "Restored.");
    return ERR_OK;
}

#define AT "/admin/nodes/:id"
#define CHANGE(verb_, run_, again_) \
    {.method = "POST", .path = AT "/" verb_, .name = "page.node." verb_, .perm = PERM_MEMORY_WRITE, .run = (run_), .again = (again_)}

const struct page_row node_change_pages[] = {
    {.method = "POST", .path = AT, .name = "page.node.update", .perm = PERM_MEMORY_WRITE, .run = node_change_page_update, .again = node_page},
    CHANGE("pin", node_change_page_pin, node_page),
    CHANGE("unpin", unpin, node_page),
    CHANGE("boost", node_change_page_boost, node_page),
    CHANGE("reduce", node_change_page_reduce, node_page),
    CHANGE("archive", node_change_page_archive, node_page),
    CHANGE("unarchive", node_change_page_unarchive, node_page),
    CHANGE("forget", node_change_page_forget, node_page),
    CHANGE("restore", node_change_page_restore, NULL),
    {0},
};
