/* The keys of a pool as a tree, folder by folder, or as a list of those that begin with something; and the form for a new one. */
#include "pool_html.h"

#include <string.h>

#include "limit.h"
#include "pool_path.h"
#include "pool_tree.h"

/* ---- the tree */

/* The folders that lead to this one, and it. */
static err pool_keys_page_add_way(struct ctx *c, struct page_call *p, const char *ref, const char *folder)
{
    struct json *list = put_list(c, p->model, "way");
    struct pool_path path;

    if (!folder)
        return ERR_OK;
    TRY(pool_path_parse(c, "/folder", folder, &path));
    for (size_t i = 0; i < path.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", path.segments[i]);
        json_set_str(c->arena, row, "href", i + 1 < path.n ? pool_folder_place(c, ref, pool_path_prefix(c->arena, &path, i + 1)) : NULL);
    }
    return ERR_OK;
}

static void put_branch(struct ctx *c, struct json *row, const struct pool_view *v, const struct pool_branch *b)
{
    json_set_str(c->arena, row, "name", b->name);
    json_set_bool(c->arena, row, "is_folder", b->entry == NULL);
    if (b->entry) {
        put_pool_entry(c, row, v->ref, b->entry, v->names);
        return;
    }
    json_set_str(c->arena, row, "href", pool_folder_place(c, v->ref, b->path));
    json_set_str(c->arena, row, "n", model_count(c->arena, b->keys));
    json_set_bool(c->arena, row, "is_one", b->keys == 1);
    json_set_str(c->arena, row, "size", model_bytes(c->arena, b->bytes));
    json_set_bool(c->arena, row, "is_bulletin", pool_is_bulletin(b->path));
    put_time(c, row, "updated_at", b->updated_at);
    put_time(c, row, "expires_at", (struct instant){0});
}

static err add_tree(struct ctx *c, struct page_call *p, const struct pool_view *v, const char *folder)
{
    struct json *list = put_list(c, p->model, "keys");
    const struct pool_branch *b;
    struct page page;

    TRY(pool_branches(c, v->ref, folder, LIMIT_PAGE_DEFAULT, page_query(p, "cursor"), &page));
    b = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_branch(c, add_row(c, list), v, &b[i]);
    put_listing(c, p, arena_printf(c->arena, "/admin/pools/%s", v->ref), &page);
    return pool_keys_page_add_way(c, p, v->ref, folder);
}

/* All that begin so, whatever folders they are in. */
static err add_found(struct ctx *c, struct page_call *p, const struct pool_view *v, const char *prefix)
{
    struct json *list = put_list(c, p->model, "keys");
    const struct pool_entry *e;
    struct page page;

    TRY(pool_entries(c, v->ref, &(struct pool_entry_filter){.prefix = prefix, .since_version = -1, .limit = LIMIT_PAGE_DEFAULT,
                                                            .cursor = page_query(p, "cursor")}, &page));
    e = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", e[i].key);
        json_set_bool(c->arena, row, "is_folder", false);
        put_pool_entry(c, row, v->ref, &e[i], v->names);
    }
    put_list(c, p->model, "way");
    put_listing(c, p, arena_printf(c->arena, "/admin/pools/%s", v->ref), &page);
    return ERR_OK;
}

/* ---- the page */

/* A link may say what a new key shall begin with. */
static void pool_keys_page_add_form(struct ctx *c, struct page_call *p, const char *folder)
{
    const char *begun = page_query(p, "new");

    json_set_str(c->arena, p->model, "new_key", begun ? begun : folder ? arena_printf(c->arena, "%s.", folder) : NULL);
    json_set_bool(c->arena, p->model, "form_open", p->is_again || begun);
    put_formats(c, p, NULL);
}

/* The keys that are shown, in the words of pool.entries. */
static const struct json *pool_keys_page_asked(struct ctx *c, const struct pool_view *v, const char *prefix)
{
    struct json *args = json_obj(c->arena);

    json_set_str(c->arena, args, "pool_id", v->pool.pool_id);
    if (prefix)
        json_set_str(c->arena, args, "prefix", prefix);
    return args;
}

static err keys_page(struct ctx *c, struct page_call *p)
{
    const char *prefix = page_query(p, "prefix"), *folder = prefix ? NULL : page_query(p, "folder");
    const struct json *policy;
    struct pool_view v;

    TRY(pool_view_open(c, p, "keys", &v));
    policy = json_opened(c->arena, v.pool.retention_policy);
    put_quota(c, p->model, "keys_meter", "Keys", v.pool.key_count, json_get_int(policy, "max_entries", 0), model_count);
    put_quota(c, p->model, "bytes_meter", "Bytes", v.pool.data_size_bytes, json_get_int(policy, "max_size_bytes", 0), model_bytes);
    TRY(prefix ? add_found(c, p, &v, prefix) : add_tree(c, p, &v, folder));
    json_set_str(c->arena, p->model, "prefix", prefix);
    json_set_str(c->arena, p->model, "folder", folder);
    json_set_bool(c->arena, p->model, "is_bare", !v.pool.key_count);
    pool_keys_page_add_form(c, p, folder);
    if (!v.pool.key_count && json_get_bool(p->model, "may_write", false))
        pool_first_write(c, p, v.pool.pool_id, "market.rate.eur", json_num(c->arena, 3.5));
    else
        p->asked = pool_keys_page_asked(c, &v, prefix ? prefix : folder ? arena_printf(c->arena, "%s.", folder) : NULL);
    return page_show(p, "pool");
}

/* ---- a new key */

/* One that is there already is not overwritten by a form that meant a new one: what is there is shown beside it. */
static err pool_keys_page_again(struct ctx *c, struct page_call *p)
{
    const char *key = page_form(p, "key");
    struct pool_entry e;
    struct pool_view v;
    bool found = false;

    if (key && page_form(p, "value") && !c->fault.fields) {
        TRY(pool_view_open(c, p, "keys", &v));
        TRY(pool_key_row(c, v.ref, key, &found, &e));
    }
    return found ? pool_conflict(c, p, &v, key, &e) : keys_page(c, p);
}

static err pool_keys_page_write_new(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *value;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(form_value(c, p, "value", &value));
    json_set_str(c->arena, extra, "pool_id", ref);
    json_set(c->arena, extra, "value", value);
    json_set_int(c->arena, extra, "if_version", 0);
    TRY(page_run(c, p, "pool.write_data", extra, NULL));
    page_say(c, p, "ok", "%s saved.", page_form(p, "key"));
    return page_go(c, p, "/admin/pools/%s", ref);
}

#define AT "/admin/pools/:id"

const struct page_row pool_keys_pages[] = {
    {.method = "GET", .path = AT, .name = "page.pool", .op = "pool.entries", .perm = PERM_MEMORY_READ, .run = keys_page},
    {.method = "POST", .path = AT "/keys", .name = "page.pool.write", .perm = PERM_MEMORY_WRITE, .run = pool_keys_page_write_new, .again = pool_keys_page_again},
    {0},
};
