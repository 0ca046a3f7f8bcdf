/* One key of a pool: its value, to be changed only while it is the one that was looked at, and to be deleted. */
#include "memory_page.h"

#include "model.h"
#include "pool.h"

/* The key stands in the query of the page, and in each of its forms. */
static const char *key_of(const struct page_call *p)
{
    const char *key = p->form ? page_form(p, "key") : page_query(p, "key");

    return key ? key : "";
}

/* Not by reading its path, which would count as use. */
static err find(struct ctx *c, const char *pool, const char *key, struct pool_entry *out)
{
    struct page page;

    TRY(pool_entries(c, pool, &(struct pool_entry_filter){.prefix = key, .since_version = -1, .limit = 1}, &page));
    if (!page.n || !str_eq(((const struct pool_entry *)page.items)->key, key))
        return fail(c, ERR_NOT_FOUND, "there is no key '%s' in this pool", key);
    *out = *(const struct pool_entry *)page.items;
    return ERR_OK;
}

static err key_page(struct ctx *c, struct page_call *p)
{
    struct pool_entry e;
    struct names *names;
    struct json *m;
    struct pool x;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(pool_get(c, ref, &x));
    TRY(find(c, ref, key_of(p), &e));
    TRY(names_load(c, &names));
    m = json_set(c->arena, p->model, "pool", json_obj(c->arena));
    put_id(c, m, "id", x.id);
    json_set_str(c->arena, m, "name", x.name);
    m = json_set(c->arena, p->model, "entry", json_obj(c->arena));
    put_pool_entry(c, m, ref, &e, names);
    put_value(c, m, e.value);
    put_time(c, m, "created_at", e.created_at);
    put_formats(c, p, e.value);
    json_set_bool(c->arena, p->model, "may_write", x.access >= ACCESS_WRITE && page_may(c, PERM_MEMORY_WRITE));
    json_set_bool(c->arena, p->model, "is_conflict", p->is_again && form_version(p) != e.version);
    return page_show(p, "pool_key");
}

static err write(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *query = json_obj(c->arena), *value;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(form_value(c, p, "value", &value));
    json_set_str(c->arena, extra, "pool_id", ref);
    json_set(c->arena, extra, "value", value);
    json_set_bool(c->arena, extra, "if_absent", false);
    TRY(page_run(c, p, "pool.write_data", extra, NULL));
    page_say(c, p, "ok", "Written.");
    json_set_str(c->arena, query, "key", key_of(p));
    return page_go(c, p, "%s", model_href(c->arena, arena_printf(c->arena, "/admin/pools/%s/key", ref), query));
}

static err delete(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    json_set_str(c->arena, extra, "pool_id", ref);
    TRY(page_run(c, p, "pool.delete_data", extra, NULL));
    page_say(c, p, "ok", "The key %s is deleted.", key_of(p));
    return page_go(c, p, "/admin/pools/%s", ref);
}

#define AT "/admin/pools/:id/key"

const struct page_row pool_key_pages[] = {
    {.method = "GET", .path = AT, .name = "page.pool.key", .perm = PERM_MEMORY_READ, .run = key_page},
    {.method = "POST", .path = AT, .name = "page.pool.key.write", .perm = PERM_MEMORY_WRITE, .run = write, .again = key_page},
    {.method = "POST", .path = AT "/delete", .name = "page.pool.key.delete", .perm = PERM_MEMORY_WRITE, .run = delete,
     .again = key_page},
    {0},
};
