/* Snapshots of a context: taking one, what is different now, bringing it back after having seen what that does, deleting it. */
#include "context_html.h"

#include "context_snapshot.h"
#include "limit.h"

#define AT "/admin/memory/:id/snapshots"

static void context_snapshot_page_put_snapshot(struct ctx *c, struct json *row, const struct context_snapshot *s,
                                               const struct context_view *v)
{
    put_id(c, row, "id", s->id);
    json_set_str(c->arena, row, "name", s->name);
    json_set_bool(c->arena, row, "is_automatic", s->is_automatic);
    json_set_str(c->arena, row, "n_entries", model_count(c->arena, s->entry_count));
    put_who(c, row, "author", v->names, s->author_kind, s->author_id);
    put_time(c, row, "created_at", s->created_at);
}

static err context_snapshot_page_list_page(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "snapshots");
    const struct context_snapshot *s;
    struct context_view v;
    struct page page;

    TRY(context_view_open(c, p, "snapshots", &v));
    TRY(context_snapshot_list(c, v.ref, SNAPSHOTS + SNAPSHOTS_AUTOMATIC, NULL, &page));
    s = page.items;
    for (size_t i = 0; i < page.n; i++)
        context_snapshot_page_put_snapshot(c, add_row(c, list), &s[i], &v);
    return page_show(p, "context_snapshots");
}

static err context_snapshot_page(struct ctx *c, struct page_call *p)
{
    struct restore_counts counts;
    struct context_snapshot s;
    struct context_view v;
    struct page changes;
    struct uuid id;

    TRY(page_id(c, p, 1, &id));
    TRY(context_view_open(c, p, "snapshots", &v));
    TRY(context_snapshot_compare(c, v.ref, id, LIMIT_PAGE_DEFAULT, page_query(p, "cursor"), &s, &counts, &changes));
    context_snapshot_page_put_snapshot(c, json_set(c->arena, p->model, "snapshot", json_obj(c->arena)), &s, &v);
    put_comparison(c, p, &counts, &changes);
    put_listing(c, p, arena_printf(c->arena, "/admin/memory/%s/snapshots/%s", v.ref, UUID_STR(id)), &changes);
    return page_show(p, "context_snapshot");
}

static err context_snapshot_page_take(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);

    if (!page_form(p, "snapshot"))
        return fail_field(c, "/snapshot", "a snapshot needs a name");
    json_set_str(c->arena, extra, "name", page_form(p, "snapshot"));
    TRY(context_run(c, p, "context_snapshot.create", extra, "/snapshots"));
    page_say(c, p, "ok", "Snapshot created.");
    return ERR_OK;
}

static err context_snapshot_page_run_on(struct ctx *c, struct page_call *p, const char *op)
{
    struct json *extra = json_obj(c->arena);
    const char *sid;

    TRY(memory_page_ref(c, p, 1, &sid));
    json_set_str(c->arena, extra, "sid", sid);
    return context_run(c, p, op, extra, "/snapshots");
}

static err context_snapshot_page_restore(struct ctx *c, struct page_call *p)
{
    TRY(context_snapshot_page_run_on(c, p, "context_snapshot.restore"));
    page_say(c, p, "ok", "Entries restored. The state before the restore was saved as a snapshot.");
    return ERR_OK;
}

static err delete (struct ctx *c, struct page_call *p)
{
    TRY(context_snapshot_page_run_on(c, p, "context_snapshot.delete"));
    page_say(c, p, "ok", "Snapshot deleted; the entries stay.");
    return ERR_OK;
}

const struct page_row context_snapshot_pages[] = {
    {.method = "GET", .path = AT, .name = "page.snapshots", .op = "context_snapshot.list", .perm = PERM_CONTEXT_UPDATE, .run = context_snapshot_page_list_page},
    {.method = "POST", .path = AT, .name = "page.snapshot.create", .perm = PERM_CONTEXT_UPDATE, .run = context_snapshot_page_take, .again = context_snapshot_page_list_page},
    {.method = "GET", .path = AT "/:sid", .name = "page.snapshot", .perm = PERM_CONTEXT_UPDATE, .run = context_snapshot_page},
    {.method = "POST", .path = AT "/:sid/restore", .name = "page.snapshot.restore", .perm = PERM_CONTEXT_UPDATE, .run = context_snapshot_page_restore,
     .again = context_snapshot_page},
    {.method = "POST", .path = AT "/:sid/delete", .name = "page.snapshot.delete", .perm = PERM_CONTEXT_UPDATE, .run = delete,
     .again = context_snapshot_page},
    {0},
};
