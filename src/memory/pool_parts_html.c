/* Parts of the pages of pools; see pool_html.h. */
#include "pool_html.h"

void put_pool(struct ctx *c, struct json *row, const struct pool *x, const struct names *names)
{
    put_id(c, row, "id", x->id);
    json_set_str(c->arena, row, "pool_id", x->pool_id);
    json_set_str(c->arena, row, "name", x->name);
    json_set_str(c->arena, row, "type", enumx_name(&pool_type_enumx, (int)x->pool_type));
    json_set_str(c->arena, row, "scope", enumx_name(&pool_scope_enumx, (int)x->scope));
    put_who(c, row, "owner", names, "agent", x->owner_agent_id);
    json_set_str(c->arena, row, "run", x->workflow_run_id);
    json_set_str(c->arena, row, "level", enumx_name(&access_level_enumx, (int)x->access));
    json_set_str(c->arena, row, "n_keys", model_count(c->arena, x->key_count));
    json_set_str(c->arena, row, "size", model_bytes(c->arena, x->data_size_bytes));
    json_set_int(c->arena, row, "version", x->version);
    put_time(c, row, "written_at", x->last_write_at);
    put_time(c, row, "expires_at", x->expires_at);
}

static void pool_page_add_tabs(struct ctx *c, struct page_call *p, const struct pool_view *v, const char *shown)
{
    bool manages = v->pool.access == ACCESS_MANAGE && page_may(c, PERM_POOLS_MANAGE);
    const struct { const char *name, *text, *at; bool there; } TABS[] = {
        {"keys", "Keys", "", true}, {"feed", "Changes and bulletins", "/feed", true}, {"snapshots", "Snapshots", "/snapshots", manages},
        {"access", "Access", "/access", true}, {"limits", "Limits and settings", "/limits", true},
    };
    struct json *list = put_list(c, p->model, "tabs");

    for (size_t i = 0; i < sizeof TABS / sizeof *TABS; i++)
        if (TABS[i].there)
            add_tab(c, list, TABS[i].text, arena_printf(c->arena, "/admin/pools/%s%s", v->ref, TABS[i].at), str_eq(TABS[i].name, shown));
}

err pool_view_open(struct ctx *c, struct page_call *p, const char *tab, struct pool_view *out)
{
    struct json *m = json_set(c->arena, p->model, "pool", json_obj(c->arena));
    const struct pool *x = &out->pool;

    TRY(memory_page_ref(c, p, 0, &out->ref));
    TRY(pool_get(c, out->ref, &out->pool));
    TRY(names_load(c, &out->names));
    put_pool(c, m, x, out->names);
    json_set_str(c->arena, m, "description", str_empty(x->description) ? NULL : x->description);
    json_set_bool(c->arena, p->model, "may_write", x->access >= ACCESS_WRITE && page_may(c, PERM_MEMORY_WRITE));
    json_set_bool(c->arena, p->model, "may_manage", x->access == ACCESS_MANAGE && page_may(c, PERM_POOLS_MANAGE));
    pool_page_add_tabs(c, p, out, tab);
    return ERR_OK;
}

/* ---- keys */

const char *pool_key_place(struct ctx *c, const char *ref, const char *key)
{
    struct json *query = json_obj(c->arena);

    json_set_str(c->arena, query, "key", key);
    return model_href(c->arena, arena_printf(c->arena, "/admin/pools/%s/key", ref), query);
}

const char *pool_folder_place(struct ctx *c, const char *ref, const char *folder)
{
    struct json *query = json_obj(c->arena);

    json_set_str(c->arena, query, "folder", folder);
    return model_href(c->arena, arena_printf(c->arena, "/admin/pools/%s", ref), query);
}

void put_pool_entry(struct ctx *c, struct json *row, const char *ref, const struct pool_entry *e, const struct names *names)
{
    json_set_str(c->arena, row, "href", e->deleted ? NULL : pool_key_place(c, ref, e->key));
    json_set_str(c->arena, row, "key", e->key);
    json_set_str(c->arena, row, "text", e->deleted ? NULL : value_preview(c, e->value));
    json_set_str(c->arena, row, "size", model_bytes(c->arena, e->size));
    put_who(c, row, "writer", names, e->writer_kind, e->writer_id);
    json_set_int(c->arena, row, "version", e->version);
    json_set_bool(c->arena, row, "is_bulletin", pool_is_bulletin(e->key));
    put_time(c, row, "updated_at", e->updated_at);
    put_time(c, row, "expires_at", e->expires_at);
}

void pool_first_write(struct ctx *c, struct page_call *p, const char *pool_id, const char *key, struct json *value)
{
    struct json *args = json_obj(c->arena);

    json_set_str(c->arena, args, "pool_id", pool_id);
    json_set_str(c->arena, args, "key", key);
    json_set(c->arena, args, "value", value);
    p->op = "pool.write";
    p->asked = args;
}

err pool_key_row(struct ctx *c, const char *ref, const char *key, bool *found, struct pool_entry *out)
{
    struct page page;

    TRY(pool_entries(c, ref, &(struct pool_entry_filter){.prefix = key, .since_version = -1, .limit = 1}, &page));
    *found = page.n && str_eq(((const struct pool_entry *)page.items)->key, key);
    if (*found)
        *out = *(const struct pool_entry *)page.items;
    return ERR_OK;
}
