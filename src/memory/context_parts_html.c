/* Parts of the pages of contexts; see context_html.h. */
#include "context_html.h"

void put_context(struct ctx *c, struct json *row, const struct context *x, const struct names *names)
{
    put_id(c, row, "id", x->id);
    json_set_str(c->arena, row, "handle", x->context_id);
    json_set_str(c->arena, row, "name", x->name);
    json_set_str(c->arena, row, "description", str_empty(x->description) ? NULL : x->description);
    json_set_str(c->arena, row, "type", enumx_name(&context_type_enumx, (int)x->context_type));
    json_set_str(c->arena, row, "scope", enumx_name(&context_scope_enumx, (int)x->scope));
    put_who(c, row, "owner", names, "agent", x->owner_agent_id);
    json_set_str(c->arena, row, "level", enumx_name(&access_level_enumx, (int)x->access));
    json_set_str(c->arena, row, "n_entries", model_count(c->arena, x->entry_count));
    json_set_str(c->arena, row, "size", model_bytes(c->arena, x->data_size_bytes));
    put_badge(c, row, x->status == SPACE_ACTIVE ? "ok" : "off", enumx_name(&space_status_enumx, (int)x->status));
    put_time(c, row, "changed_at", x->last_modified_at);
    put_time(c, row, "expires_at", x->expires_at);
}

static void context_page_add_tabs(struct ctx *c, struct page_call *p, const struct context_view *v, const char *shown)
{
    bool sees_log = v->context.access == ACCESS_MANAGE && page_may(c, PERM_CONTEXT_MANAGE);
    const struct { const char *name, *text, *at; bool there; } TABS[] = {
        {"entries", "Entries", "", true}, {"snapshots", "Snapshots", "/snapshots", page_may(c, PERM_CONTEXT_UPDATE)}, {"access", "Access", "/access", true},
        {"log", "Access log", "/log", sees_log}, {"settings", "Limits and settings", "/settings", true},
    };
    struct json *list = put_list(c, p->model, "tabs");

    for (size_t i = 0; i < sizeof TABS / sizeof *TABS; i++)
        if (TABS[i].there)
            add_tab(c, list, TABS[i].text, arena_printf(c->arena, "/admin/memory/%s%s", v->ref, TABS[i].at), str_eq(TABS[i].name, shown));
}

err context_view_open(struct ctx *c, struct page_call *p, const char *tab, struct context_view *out)
{
    const struct context *x = &out->context;
    bool updates;

    TRY(memory_page_ref(c, p, 0, &out->ref));
    TRY(context_get(c, out->ref, &out->context));
    TRY(names_load(c, &out->names));
    updates = page_may(c, PERM_CONTEXT_UPDATE);
    put_context(c, json_set(c->arena, p->model, "context", json_obj(c->arena)), x, out->names);
    json_set_bool(c->arena, p->model, "may_write", x->access >= ACCESS_WRITE && x->status == SPACE_ACTIVE && updates);
    json_set_bool(c->arena, p->model, "may_manage", x->access == ACCESS_MANAGE && updates);
    json_set_bool(c->arena, p->model, "may_restore", x->access == ACCESS_MANAGE && updates && x->status == SPACE_ARCHIVED);
    context_page_add_tabs(c, p, out, tab);
    put_undo(c, p);
    return ERR_OK;
}

err context_run(struct ctx *c, struct page_call *p, const char *op, struct json *extra, const char *at)
{
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    json_set_str(c->arena, extra, "id", ref);
    TRY(page_run(c, p, op, extra, NULL));
    return page_go(c, p, "/admin/memory/%s%s", ref, at);
}
