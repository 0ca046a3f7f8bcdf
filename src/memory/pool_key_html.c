/* One key of a pool: its value, what it was before, and the form that changes it while it is the one that was looked at. */
#include "pool_html.h"

#include "limit.h"
#include "pool_path.h"

/* The key stands in the query of the page, and in each of its forms. */
static const char *pool_key_page_key_of(const struct page_call *p)
{
    const char *key = p->form ? page_form(p, "key") : page_query(p, "key");

    return key ? key : "";
}

/* ---- the page */

/* The folders it is in. */
static void pool_key_page_add_way(struct ctx *c, struct page_call *p, const char *ref, const char *key)
{
    struct json *list = put_list(c, p->model, "way");
    struct pool_path path;

    if (pool_path_parse(c, "/key", key, &path) != ERR_OK) {
        ctx_forgive(c);
        return;
    }
    for (size_t i = 0; i + 1 < path.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", path.segments[i]);
        json_set_str(c->arena, row, "href", pool_folder_place(c, ref, pool_path_prefix(c->arena, &path, i + 1)));
    }
}

/* What it said when somebody took a snapshot, for who may see those. */
static err pool_key_page_add_kept(struct ctx *c, struct page_call *p, const struct pool_view *v, const struct pool_entry *e)
{
    struct json *list = put_list(c, p->model, "kept");
    struct pool_kept *rows = NULL;
    size_t n = 0;

    if (v->pool.access == ACCESS_MANAGE && page_may(c, PERM_POOLS_MANAGE))
        TRY(pool_snapshot_values(c, v->ref, e->key, &rows, &n));
    for (size_t i = 0; i < n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", rows[i].snapshot);
        json_set_str(c->arena, row, "href", arena_printf(c->arena, "/admin/pools/%s/snapshots/%s", v->ref, UUID_STR(rows[i].snapshot_id)));
        json_set_str(c->arena, row, "text", value_preview(c, rows[i].value));
        json_set_bool(c->arena, row, "is_same", json_equal(rows[i].value, json_opened(c->arena, e->value)));
        put_value(c, row, rows[i].value);
        put_time(c, row, "at", rows[i].created_at);
    }
    json_set_bool(c->arena, p->model, "has_kept", n > 0);
    return ERR_OK;
}

/* Who wrote it when, of the pool's latest events, for who may see the trail. */
#define LATEST_EVENTS 200
#define WRITES_SHOWN 10

static err add_writes(struct ctx *c, struct page_call *p, const struct pool_view *v, const char *key)
{
    struct json *list = put_list(c, p->model, "writes");
    const struct audit_event *e;
    struct page page = {0};

    if (page_may(c, PERM_AUDIT_READ))
        TRY(audit_list(c, &(struct audit_filter){.subject_id = v->pool.id, .kind = "memory_pool_key_write",
                                                    .limit = LATEST_EVENTS}, &page));
    e = page.items;
    for (size_t i = 0; i < page.n && list->len < WRITES_SHOWN; i++) {
        const struct json *said = json_opened(c->arena, e[i].payload);
        struct json *row;

        if (!str_eq(json_get_str(said, "key"), key))
            continue;
        row = add_row(c, list);
        put_who(c, row, "who", v->names, e[i].actor_kind, e[i].actor_id);
        json_set_int(c->arena, row, "version", json_get_int(said, "version", 0));
        json_set_bool(c->arena, row, "is_deletion", json_get_bool(said, "deleted", false));
        json_set_str(c->arena, row, "request_id", e[i].request_id);
        put_time(c, row, "at", e[i].at);
    }
    json_set_bool(c->arena, p->model, "has_writes", list->first != NULL);
    return ERR_OK;
}

static const struct json *pool_key_page_asked(struct ctx *c, const struct pool_view *v, const char *key)
{
    struct json *args = json_obj(c->arena);

    json_set_str(c->arena, args, "pool_id", v->pool.pool_id);
    json_set_str(c->arena, args, "key", key);
    return args;
}

static err show(struct ctx *c, struct page_call *p, const struct pool_view *v, const struct pool_entry *e)
{
    struct json *m = json_set(c->arena, p->model, "entry", json_obj(c->arena));

    put_pool_entry(c, m, v->ref, e, v->names);
    put_id(c, m, "node_id", e->node_id);
    put_value(c, m, e->value);
    put_time(c, m, "created_at", e->created_at);
    put_formats(c, p, e->value);
    pool_key_page_add_way(c, p, v->ref, e->key);
    p->asked = pool_key_page_asked(c, v, e->key);
    TRY(pool_key_page_add_kept(c, p, v, e));
    TRY(add_writes(c, p, v, e->key));
    return page_show(p, "pool_key");
}

static err key_page(struct ctx *c, struct page_call *p)
{
    const char *key = pool_key_page_key_of(p);
    struct pool_entry e;
    struct pool_view v;
    bool found;

    TRY(pool_view_open(c, p, "", &v));
    TRY(pool_key_row(c, v.ref, key, &found, &e));
    return found ? show(c, p, &v, &e) : fail(c, ERR_NOT_FOUND, "no key '%s' in this pool", key);
}

/* ---- changes */

/* What cannot be is marked in the form; what changed meanwhile has a page of its own. */
static err pool_key_page_again(struct ctx *c, struct page_call *p)
{
    bool found, is_clean = !json_get(p->model, "errors")->first;
    const char *key = pool_key_page_key_of(p);
    struct pool_entry e;
    struct pool_view v;

    TRY(pool_view_open(c, p, "", &v));
    TRY(pool_key_row(c, v.ref, key, &found, &e));
    if (page_form(p, "value") && is_clean && (!found || form_version(p) != e.version))
        return pool_conflict(c, p, &v, key, found ? &e : NULL);
    return found ? show(c, p, &v, &e) : fail(c, ERR_NOT_FOUND, "the key '%s' no longer exists in this pool", key);
}

static err pool_key_page_write(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *value;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(form_value(c, p, "value", &value));
    json_set_str(c->arena, extra, "pool_id", ref);
    json_set(c->arena, extra, "value", value);
    json_set_bool(c->arena, extra, "if_absent", false);
    TRY(page_run(c, p, "pool.write_data", extra, NULL));
    page_say(c, p, "ok", "Written.");
    return page_go(c, p, "%s", pool_key_place(c, ref, pool_key_page_key_of(p)));
}

static err delete (struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    json_set_str(c->arena, extra, "pool_id", ref);
    TRY(page_run(c, p, "pool.delete_data", extra, NULL));
    page_say(c, p, "ok", "Key %s deleted.", pool_key_page_key_of(p));
    return page_go(c, p, "/admin/pools/%s", ref);
}

#define AT "/admin/pools/:id/key"

const struct page_row pool_key_pages[] = {
    {.method = "GET", .path = AT, .name = "page.pool.key", .op = "pool.read_data", .perm = PERM_MEMORY_READ, .run = key_page},
    {.method = "POST", .path = AT, .name = "page.pool.key.write", .perm = PERM_MEMORY_WRITE, .run = pool_key_page_write, .again = pool_key_page_again},
    {.method = "POST", .path = AT "/delete", .name = "page.pool.key.delete", .perm = PERM_MEMORY_WRITE, .run = delete, .again = pool_key_page_again},
    {0},
};
