/* Snapshots of a pool: taking one, what is different now, bringing it back after having seen what that does, deleting it. */
#include "pool_html.h"

#include "limit.h"

#define AT "/admin/pools/:id/snapshots"

static void pool_snapshot_page_put_snapshot(struct ctx *c, struct json *row, const struct pool_snapshot *s, const struct pool_view *v)
{
    put_id(c, row, "id", s->id);
    json_set_str(c->arena, row, "name", s->name);
    json_set_bool(c->arena, row, "is_automatic", s->is_automatic);
    json_set_str(c->arena, row, "n_keys", model_count(c->arena, s->key_count));
    json_set_str(c->arena, row, "size", model_bytes(c->arena, s->data_size_bytes));
    json_set_int(c->arena, row, "version", s->pool_version);
    put_who(c, row, "author", v->names, s->author_kind, s->author_id);
    put_time(c, row, "created_at", s->created_at);
}

static err pool_snapshot_page_list_page(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "snapshots");
    const struct pool_snapshot *s;
    struct pool_view v;
    struct page page;

    TRY(pool_view_open(c, p, "snapshots", &v));
    TRY(pool_snapshot_list(c, v.ref, POOL_SNAPSHOTS + POOL_SNAPSHOTS_AUTOMATIC, NULL, &page));
    s = page.items;
    for (size_t i = 0; i < page.n; i++)
        pool_snapshot_page_put_snapshot(c, add_row(c, list), &s[i], &v);
    return page_show(p, "pool_snapshots");
}

static err pool_snapshot_page(struct ctx *c, struct page_call *p)
{
    struct restore_counts counts;
    struct pool_snapshot s;
    struct pool_view v;
    struct page changes;
    struct uuid id;

    TRY(page_id(c, p, 1, &id));
    TRY(pool_view_open(c, p, "snapshots", &v));
    TRY(pool_snapshot_compare(c, v.ref, id, LIMIT_PAGE_DEFAULT, page_query(p, "cursor"), &s, &counts, &changes));
    pool_snapshot_page_put_snapshot(c, json_set(c->arena, p->model, "snapshot", json_obj(c->arena)), &s, &v);
    put_comparison(c, p, &counts, &changes);
    put_listing(c, p, arena_printf(c->arena, "/admin/pools/%s/snapshots/%s", v.ref, UUID_STR(id)), &changes);
    return page_show(p, "pool_snapshot");
}

static err pool_snapshot_page_take(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    json_set_str(c->arena, extra, "pool_id", ref);
    TRY(page_run(c, p, "pool_snapshot.create", extra, NULL));
    page_say(c, p, "ok", "Snapshot created.");
    return page_go(c, p, "/admin/pools/%s/snapshots", ref);
}

static err pool_snapshot_page_run_on(struct ctx *c, struct page_call *p, const char *op, struct call_result *r)
{
    struct json *extra = json_obj(c->arena);
    const char *ref, *sid;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(memory_page_ref(c, p, 1, &sid));
    json_set_str(c->arena, extra, "pool_id", ref);
    json_set_str(c->arena, extra, "sid", sid);
    TRY(page_run(c, p, op, extra, r));
    return page_go(c, p, "/admin/pools/%s/snapshots", ref);
}

static err pool_snapshot_page_restore(struct ctx *c, struct page_call *p)
{
    struct call_result r = {0};

    TRY(pool_snapshot_page_run_on(c, p, "pool_snapshot.restore", &r));
    page_say(c, p, "ok", "Restored: %s reset, %s removed. The state before the restore was saved as the newest snapshot.", model_counted(c->arena, json_get_int(r.data, "written", 0), "key", "keys"),
             model_counted(c->arena, json_get_int(r.data, "removed", 0), "newer key", "newer keys"));
    return ERR_OK;
}

static err delete (struct ctx *c, struct page_call *p)
{
    TRY(pool_snapshot_page_run_on(c, p, "pool_snapshot.delete", NULL));
    page_say(c, p, "ok", "Snapshot deleted; the pool is unchanged.");
    return ERR_OK;
}

const struct page_row pool_snapshot_pages[] = {
    {.method = "GET", .path = AT, .name = "page.pool.snapshots", .op = "pool_snapshot.list", .perm = PERM_POOLS_MANAGE, .run = pool_snapshot_page_list_page},
    {.method = "POST", .path = AT, .name = "page.pool.snapshot.create", .perm = PERM_POOLS_MANAGE, .run = pool_snapshot_page_take, .again = pool_snapshot_page_list_page},
    {.method = "GET", .path = AT "/:sid", .name = "page.pool.snapshot", .perm = PERM_POOLS_MANAGE, .run = pool_snapshot_page},
    {.method = "POST", .path = AT "/:sid/restore", .name = "page.pool.snapshot.restore", .perm = PERM_POOLS_MANAGE, .run = pool_snapshot_page_restore,
     .again = pool_snapshot_page},
    {.method = "POST", .path = AT "/:sid/delete", .name = "page.pool.snapshot.delete", .perm = PERM_POOLS_MANAGE, .run = delete},
    {0},
};
