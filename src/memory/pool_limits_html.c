/* What a pool may hold and who may reach it; how it is changed, and what goes when it is deleted. */
#include "pool_html.h"

#include "graph_html.h"
#include "limit.h"

/* ---- limits */

static void add_writers(struct ctx *c, struct json *m, const struct pool_statistics *s, const struct names *names)
{
    const struct pool_writer *w = s->writers.v;
    struct json *list = put_list(c, m, "writers");

    for (size_t i = 0; i < s->writers.n; i++) {
        struct json *row = add_row(c, list);

        put_who(c, row, "who", names, w[i].kind, w[i].id);
        json_set_str(c->arena, row, "keys", model_count(c->arena, w[i].keys));
    }
}

static err pool_limits_page_add_figures(struct ctx *c, struct page_call *p, const struct pool_view *v)
{
    struct json *m = json_set(c->arena, p->model, "figures", json_obj(c->arena));
    struct pool_statistics s;

    TRY(pool_statistics(c, v->ref, &s));
    put_quota(c, m, "keys", "Keys", s.total_keys, s.max_entries, model_count);
    put_quota(c, m, "bytes", "Bytes", s.data_size_bytes, s.max_size_bytes, model_bytes);
    json_set_str(c->arena, m, "uses", model_count(c->arena, s.access_count));
    json_set_str(c->arena, m, "writes", model_count(c->arena, s.write_count));
    json_set_str(c->arena, m, "evicted", model_count(c->arena, s.evicted_count));
    json_set_str(c->arena, m, "expired", model_count(c->arena, s.expired_count));
    put_time(c, m, "used_at", s.last_accessed_at);
    add_writers(c, m, &s, v->names);
    return ERR_OK;
}

static const char *pool_limits_page_number(struct ctx *c, int64_t n)
{
    return n ? arena_printf(c->arena, "%lld", (long long)n) : NULL;
}

static const char *eviction_words(const char *name)
{
    static const char *const WORDS[][2] = {
        {"lru", "the least recently used keys are evicted first"}, {"lfu", "the least used keys are evicted first"},
        {"oldest", "the oldest keys are evicted first"}, {"importance", "the least important keys are evicted first"},
        {"reject", "new writes are refused"},
    };

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (str_eq(WORDS[i][0], name))
            return WORDS[i][1];
    return name;
}

static void add_limits(struct ctx *c, struct page_call *p, const struct pool *x)
{
    const struct json *policy = json_opened(c->arena, x->retention_policy);
    struct json *m = json_set(c->arena, p->model, "limits", json_obj(c->arena));
    int64_t ttl = json_get_int(policy, "ttl_seconds", 0);

    json_set_str(c->arena, m, "max_entries", chosen(p, "max_entries", pool_limits_page_number(c, json_get_int(policy, "max_entries", 0))));
    json_set_str(c->arena, m, "max_size_bytes", chosen(p, "max_size_bytes",
                                                       pool_limits_page_number(c, json_get_int(policy, "max_size_bytes", 0))));
    json_set_str(c->arena, m, "ttl_seconds", chosen(p, "keep_seconds", pool_limits_page_number(c, ttl)));
    json_set_str(c->arena, m, "lives", ttl ? model_duration(c->arena, ttl * SECOND_US) : NULL);
    json_set_str(c->arena, m, "eviction_words", eviction_words(json_get_str(policy, "eviction")));
    json_set(c->arena, m, "evictions", enum_choices(c, &pool_eviction_enumx, NULL,
                                                    chosen(p, "eviction", json_get_str(policy, "eviction"))));
}

/* ---- what goes with it */

static err pool_limits_page_add_loss(struct ctx *c, struct page_call *p, const struct pool_view *v)
{
    struct json *m = json_set(c->arena, p->model, "loss", json_obj(c->arena));
    struct page snapshots;
    int64_t grants;

    TRY(pool_snapshot_list(c, v->ref, POOL_SNAPSHOTS + POOL_SNAPSHOTS_AUTOMATIC, NULL, &snapshots));
    TRY(grant_number(c, v->pool.id, &grants));
    json_set_str(c->arena, m, "keys", model_count(c->arena, v->pool.key_count));
    json_set_str(c->arena, m, "size", model_bytes(c->arena, v->pool.data_size_bytes));
    json_set_str(c->arena, m, "snapshots", model_count(c->arena, (int64_t)snapshots.n));
    json_set_str(c->arena, m, "grants", model_count(c->arena, grants));
    return ERR_OK;
}

static err limits_page(struct ctx *c, struct page_call *p)
{
    struct pool_view v;
    bool may_delete;

    TRY(pool_view_open(c, p, "limits", &v));
    may_delete = v.pool.access == ACCESS_MANAGE && page_may(c, PERM_POOLS_MANAGE) && !str_eq(v.pool.pool_id, POOL_DEFAULT);
    put_time(c, json_get(p->model, "pool"), "created_at", v.pool.created_at);
    add_limits(c, p, &v.pool);
    TRY(pool_limits_page_add_figures(c, p, &v));
    json_set_bool(c->arena, p->model, "may_delete", may_delete);
    if (may_delete)
        TRY(pool_limits_page_add_loss(c, p, &v));
    return page_show(p, "pool_limits");
}

/* ---- changes */

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

static err pool_limits_page_update(struct ctx *c, struct page_call *p)
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
    return page_go(c, p, "/admin/pools/%s/limits", ref);
}

static err delete (struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct pool x;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(pool_get(c, ref, &x));
    if (!str_eq(page_form(p, "confirm"), x.pool_id))
        return fail_field(c, "/confirm", "enter %s to delete the pool", x.pool_id);
    json_set_str(c->arena, extra, "pool_id", ref);
    TRY(page_run(c, p, "pool.delete", extra, NULL));
    offer_undo(c, p, arena_printf(c->arena, "/admin/spaces/%s/undelete", ref),
               "%s deleted. It can be restored for 7 days on the page Spaces (status deleted).", x.name);
    return page_go(c, p, "/admin/pools");
}

/* ---- who may reach it */

static err pool_limits_page_access_page(struct ctx *c, struct page_call *p)
{
    struct pool_view v;

    TRY(pool_view_open(c, p, "access", &v));
    TRY(put_access_page(c, p, v.pool.id, v.pool.access, PERM_POOLS_MANAGE, v.pool.access_words,
                        arena_printf(c->arena, "/admin/pools/%s/access", v.ref), v.names));
    return page_show(p, "pool_access");
}

static err pool_limits_page_grant(struct ctx *c, struct page_call *p)
{
    return post_grant(c, p, "/admin/pools", "/access");
}

static err pool_limits_page_ungrant(struct ctx *c, struct page_call *p)
{
    return post_ungrant(c, p, "/admin/pools", "/access");
}

#define AT "/admin/pools/:id"

const struct page_row pool_limits_pages[] = {
    {.method = "GET", .path = AT "/limits", .name = "page.pool.limits", .op = "pool.statistics", .perm = PERM_MEMORY_READ, .run = limits_page},
    {.method = "POST", .path = AT, .name = "page.pool.update", .perm = PERM_POOLS_MANAGE, .run = pool_limits_page_update, .again = limits_page},
    {.method = "POST", .path = AT "/delete", .name = "page.pool.delete", .perm = PERM_POOLS_MANAGE, .run = delete, .again = limits_page},
    {.method = "GET", .path = AT "/access", .name = "page.pool.access", .perm = PERM_MEMORY_READ, .run = pool_limits_page_access_page},
    {.method = "POST", .path = AT "/access/grants", .name = "page.pool.grant", .perm = PERM_POOLS_MANAGE, .run = pool_limits_page_grant, .again = pool_limits_page_access_page},
    {.method = "POST", .path = AT "/access/grants/:grant_id/remove", .name = "page.pool.ungrant", .perm = PERM_POOLS_MANAGE, .run = pool_limits_page_ungrant},
    {0},
};
