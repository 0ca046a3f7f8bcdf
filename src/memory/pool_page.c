/* The page Pools: pools that agents share, and what is in one: its keys, what changed last, limits and who has access. */
#include "memory_page.h"

#include "limit.h"
#include "model.h"
#include "pool.h"

#define CHANGES 15                   /* shown of a pool, the last ones */

static void put_pool(struct ctx *c, struct json *row, const struct pool *x, const struct names *names)
{
    put_id(c, row, "id", x->id);
    json_set_str(c->arena, row, "pool_id", x->pool_id);
    json_set_str(c->arena, row, "name", x->name);
    json_set_str(c->arena, row, "type", enumx_name(&pool_type_enumx, (int)x->pool_type));
    json_set_str(c->arena, row, "scope", enumx_name(&pool_scope_enumx, (int)x->scope));
    json_set_str(c->arena, row, "owner", names_find(names, x->owner_agent_id));
    json_set_str(c->arena, row, "run", x->workflow_run_id);
    json_set_str(c->arena, row, "level", enumx_name(&access_level_enumx, (int)x->access));
    json_set_str(c->arena, row, "n_keys", model_count(c->arena, x->key_count));
    json_set_str(c->arena, row, "size", model_bytes(c->arena, x->data_size_bytes));
    json_set_int(c->arena, row, "version", x->version);
    put_time(c, row, "written_at", x->last_write_at);
    put_time(c, row, "expires_at", x->expires_at);
}

/* ---- the list */

/* The others belong to workflow runs, which make theirs. */
static void add_new_types(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "new_types");
    const char *shown = chosen(p, "pool_type", enumx_name(&pool_type_enumx, POOL_SHARED));

    for (int t = POOL_SHARED; t <= POOL_GLOBAL; t++)
        add_choice(c, list, enumx_name(&pool_type_enumx, t), enumx_name(&pool_type_enumx, t),
                   str_eq(enumx_name(&pool_type_enumx, t), shown));
}

static err pools(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "pools");
    const struct pool *x;
    struct names *names;
    struct page page;

    TRY(pool_list(c, &(struct pool_filter){.pool_type = query_enum(p, "type", &pool_type_enumx),
                                           .scope = query_enum(p, "scope", &pool_scope_enumx), .limit = LIMIT_PAGE_DEFAULT,
                                           .cursor = page_query(p, "cursor")}, &page));
    TRY(names_load(c, &names));
    x = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_pool(c, add_row(c, list), &x[i], names);
    put_listing(c, p, "/admin/pools", &page);
    json_set(c->arena, p->model, "types", enum_choices(c, &pool_type_enumx, "any", page_query(p, "type")));
    json_set(c->arena, p->model, "scopes", enum_choices(c, &pool_scope_enumx, "any", page_query(p, "scope")));
    put_undo(c, p);
    add_new_types(c, p);
    json_set_bool(c->arena, p->model, "may_create", page_may(c, PERM_POOLS_MANAGE));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    json_set_bool(c->arena, p->model, "is_public", str_eq(chosen(p, "is_public", ""), "1"));
    TRY(put_owners(c, p, "owner_agent_id"));
    return page_show(p, "pools");
}

static err create(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    if (page_form(p, "is_public"))
        json_set_bool(c->arena, json_set(c->arena, extra, "access_control", json_obj(c->arena)), "public", true);
    TRY(page_run(c, p, "pool.create", extra, &r));
    page_say(c, p, "ok", "The pool is there. Write its first key.");
    return page_go(c, p, "/admin/pools/%s", UUID_STR(r.id));
}

/* ---- one of them */

void put_pool_entry(struct ctx *c, struct json *row, const char *pool, const struct pool_entry *e, const struct names *names)
{
    const char *at = arena_printf(c->arena, "/admin/pools/%s/key", pool), *writer = names_find(names, e->writer_id);
    struct json *query = json_obj(c->arena);

    json_set_str(c->arena, query, "key", e->key);
    json_set_str(c->arena, row, "href", e->deleted ? NULL : model_href(c->arena, at, query));
    json_set_str(c->arena, row, "key", e->key);
    json_set_str(c->arena, row, "text", e->deleted ? NULL : value_preview(c, e->value));
    json_set_str(c->arena, row, "size", model_bytes(c->arena, e->size));
    json_set_str(c->arena, row, "writer", writer ? writer : e->writer_kind);
    json_set_int(c->arena, row, "version", e->version);
    json_set_bool(c->arena, row, "is_bulletin", str_starts(e->key, POOL_BULLETIN));
    put_time(c, row, "updated_at", e->updated_at);
    put_time(c, row, "expires_at", e->expires_at);
}

static err add_keys(struct ctx *c, struct page_call *p, const char *ref, const struct names *names)
{
    struct json *list = put_list(c, p->model, "keys");
    const struct pool_entry *e;
    struct page page;

    TRY(pool_entries(c, ref, &(struct pool_entry_filter){.prefix = page_query(p, "prefix"), .since_version = -1,
                                                         .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")}, &page));
    e = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_pool_entry(c, add_row(c, list), ref, &e[i], names);
    json_set_str(c->arena, p->model, "prefix", page_query(p, "prefix"));
    put_listing(c, p, arena_printf(c->arena, "/admin/pools/%s", ref), &page);
    return ERR_OK;
}

/* What the latest versions of the pool wrote or deleted, the newest first. */
static err add_changes(struct ctx *c, struct page_call *p, const char *ref, int64_t version, const struct names *names)
{
    struct json *list = put_list(c, p->model, "changes");
    const struct pool_entry *e;
    struct page page;

    TRY(pool_entries(c, ref, &(struct pool_entry_filter){.since_version = version > CHANGES ? version - CHANGES : 0,
                                                         .limit = LIMIT_PAGE}, &page));
    e = page.items;
    for (size_t i = page.n, shown = 0; i-- > 0 && shown < CHANGES; shown++)
        put_pool_entry(c, add_row(c, list), ref, &e[i], names);
    return ERR_OK;
}

static err add_figures(struct ctx *c, struct page_call *p, const char *ref, const struct names *names)
{
    struct json *m = json_set(c->arena, p->model, "figures", json_obj(c->arena)), *writers = put_list(c, m, "writers");
    const struct pool_writer *w;
    struct pool_statistics s;

    TRY(pool_statistics(c, ref, &s));
    json_set_str(c->arena, m, "max_keys", model_count(c->arena, s.max_entries));
    json_set_str(c->arena, m, "max_size", model_bytes(c->arena, s.max_size_bytes));
    json_set_str(c->arena, m, "fill", arena_printf(c->arena, "%.1f %%", s.fill * 100));
    json_set_str(c->arena, m, "meter", arena_printf(c->arena, "%.3f", s.fill < 1 ? s.fill : 1));
    json_set_str(c->arena, m, "uses", model_count(c->arena, s.access_count));
    json_set_str(c->arena, m, "writes", model_count(c->arena, s.write_count));
    json_set_str(c->arena, m, "evicted", model_count(c->arena, s.evicted_count));
    json_set_str(c->arena, m, "expired", model_count(c->arena, s.expired_count));
    put_time(c, m, "used_at", s.last_accessed_at);
    w = s.writers.v;
    for (size_t i = 0; i < s.writers.n; i++) {
        struct json *row = add_row(c, writers);
        const char *name = names_find(names, w[i].id);

        json_set_str(c->arena, row, "name", name ? name : w[i].kind);
        json_set_str(c->arena, row, "keys", model_count(c->arena, w[i].keys));
    }
    return ERR_OK;
}

static const char *number(struct ctx *c, int64_t n)
{
    return n ? arena_printf(c->arena, "%lld", (long long)n) : NULL;
}

static void add_limits(struct ctx *c, struct page_call *p, const struct pool *x)
{
    const struct json *policy = json_opened(c->arena, x->retention_policy);
    struct json *m = json_set(c->arena, p->model, "limits", json_obj(c->arena));

    json_set_str(c->arena, m, "max_entries", chosen(p, "max_entries", number(c, json_get_int(policy, "max_entries", 0))));
    json_set_str(c->arena, m, "max_size_bytes", chosen(p, "max_size_bytes", number(c, json_get_int(policy, "max_size_bytes", 0))));
    json_set_str(c->arena, m, "ttl_seconds", chosen(p, "keep_seconds", number(c, json_get_int(policy, "ttl_seconds", 0))));
    json_set(c->arena, m, "evictions", enum_choices(c, &pool_eviction_enumx, NULL, chosen(p, "eviction", json_get_str(policy, "eviction"))));
}

static void add_about(struct ctx *c, struct page_call *p, const struct pool *x, const struct names *names)
{
    struct json *m = json_set(c->arena, p->model, "pool", json_obj(c->arena));
    bool manages = x->access == ACCESS_MANAGE && page_may(c, PERM_POOLS_MANAGE);

    put_pool(c, m, x, names);
    put_id(c, m, "owner_id", x->owner_agent_id);
    json_set_str(c->arena, m, "description", str_empty(x->description) ? NULL : x->description);
    json_set_str(c->arena, m, "access_words", x->access_words);
    put_time(c, m, "created_at", x->created_at);
    json_set_bool(c->arena, p->model, "may_write", x->access >= ACCESS_WRITE && page_may(c, PERM_MEMORY_WRITE));
    json_set_bool(c->arena, p->model, "may_manage", manages);
    json_set_bool(c->arena, p->model, "may_delete", manages && !str_eq(x->pool_id, POOL_DEFAULT));
}

static err pool_page(struct ctx *c, struct page_call *p)
{
    struct names *names;
    struct pool x;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(pool_get(c, ref, &x));
    TRY(names_load(c, &names));
    add_about(c, p, &x, names);
    add_limits(c, p, &x);
    TRY(add_figures(c, p, ref, names));
    TRY(add_keys(c, p, ref, names));
    TRY(add_changes(c, p, ref, x.version, names));
    put_formats(c, p, NULL);
    json_set_bool(c->arena, p->model, "form_open", p->is_again && page_form(p, "format"));
    return page_show(p, "pool");
}

/* ---- changes */

/* A key that is there already is not overwritten by a form that meant a new one. */
static err write_new(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *value;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(form_value(c, p, "value", &value));
    json_set_str(c->arena, extra, "pool_id", ref);
    json_set(c->arena, extra, "value", value);
    json_set_int(c->arena, extra, "if_version", 0);
    TRY(page_run(c, p, "pool.write_data", extra, NULL));
    page_say(c, p, "ok", "Written.");
    return page_go(c, p, "/admin/pools/%s", ref);
}

static void add_whole(struct ctx *c, struct json *policy, const char *name, const char *typed)
{
    int64_t n;

    if (!typed)
        return;
    if (str_to_i64(typed, &n))
        json_set_int(c->arena, policy, name, n);
    else
        json_set_str(c->arena, policy, name, typed);
}

static err update(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *policy = json_set(c->arena, extra, "retention_policy", json_obj(c->arena));
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    json_set_str(c->arena, extra, "pool_id", ref);
    add_whole(c, policy, "max_entries", page_form(p, "max_entries"));
    add_whole(c, policy, "max_size_bytes", page_form(p, "max_size_bytes"));
    json_set(c->arena, policy, "ttl_seconds", json_new(c->arena, JSON_NULL));
    add_whole(c, policy, "ttl_seconds", page_form(p, "keep_seconds"));
    if (page_form(p, "eviction"))
        json_set_str(c->arena, policy, "eviction", page_form(p, "eviction"));
    TRY(page_run(c, p, "pool.update", extra, NULL));
    page_say(c, p, "ok", "Saved.");
    return page_go(c, p, "/admin/pools/%s", ref);
}

static err delete(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct pool x;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(pool_get(c, ref, &x));
    if (!str_eq(page_form(p, "confirm"), x.pool_id))
        return fail_field(c, "/confirm", "type %s to delete the pool", x.pool_id);
    json_set_str(c->arena, extra, "pool_id", ref);
    TRY(page_run(c, p, "pool.delete", extra, NULL));
    offer_undo(c, p, arena_printf(c->arena, "/admin/spaces/%s/undelete", ref),
               "%s is deleted. For a week it can be brought back from among the deleted spaces.", x.name);
    return page_go(c, p, "/admin/pools");
}

#define AT "/admin/pools"

const struct page_row pool_pages[] = {
    {.method = "GET", .path = AT, .name = "page.pools", .perm = PERM_MEMORY_READ, .run = pools,
     .nav = {.label = "Pools", .icon = "pools", .key = "p"}},
    {.method = "POST", .path = AT, .name = "page.pool.create", .perm = PERM_POOLS_MANAGE, .run = create, .again = pools},
    {.method = "GET", .path = AT "/:id", .name = "page.pool", .perm = PERM_MEMORY_READ, .run = pool_page},
    {.method = "POST", .path = AT "/:id", .name = "page.pool.update", .perm = PERM_POOLS_MANAGE, .run = update, .again = pool_page},
    {.method = "POST", .path = AT "/:id/keys", .name = "page.pool.write", .perm = PERM_MEMORY_WRITE, .run = write_new,
     .again = pool_page},
    {.method = "POST", .path = AT "/:id/delete", .name = "page.pool.delete", .perm = PERM_POOLS_MANAGE, .run = delete,
     .again = pool_page},
    {0},
};
