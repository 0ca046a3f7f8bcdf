/* The page Memory: contexts, what is in one, and the search through their entries. */
#include "memory_page.h"

#include "context_snapshot.h"
#include "entry_search.h"
#include "limit.h"
#include "model.h"

#define SNAPSHOTS_SHOWN (SNAPSHOTS + SNAPSHOTS_AUTOMATIC)

static void put_context(struct ctx *c, struct json *row, const struct context *x, const struct names *names)
{
    put_id(c, row, "id", x->id);
    json_set_str(c->arena, row, "handle", x->context_id);
    json_set_str(c->arena, row, "name", x->name);
    json_set_str(c->arena, row, "description", str_empty(x->description) ? NULL : x->description);
    json_set_str(c->arena, row, "type", enumx_name(&context_type_enumx, (int)x->context_type));
    json_set_str(c->arena, row, "scope", enumx_name(&context_scope_enumx, (int)x->scope));
    json_set_str(c->arena, row, "owner", names_find(names, x->owner_agent_id));
    json_set_str(c->arena, row, "level", enumx_name(&access_level_enumx, (int)x->access));
    json_set_str(c->arena, row, "n_entries", model_count(c->arena, x->entry_count));
    json_set_str(c->arena, row, "size", model_bytes(c->arena, x->data_size_bytes));
    put_badge(c, row, x->status == SPACE_ACTIVE ? "ok" : "off", enumx_name(&space_status_enumx, (int)x->status));
    put_time(c, row, "changed_at", x->last_modified_at);
    put_time(c, row, "expires_at", x->expires_at);
}

/* ---- the list */

static err add_new_form(struct ctx *c, struct page_call *p)
{
    const char *type = chosen(p, "context_type", NULL), *scope = chosen(p, "scope", NULL);

    json_set(c->arena, p->model, "new_types", enum_choices(c, &context_type_enumx, NULL, type));
    json_set(c->arena, p->model, "new_scopes", enum_choices(c, &context_scope_enumx, NULL, scope));
    json_set_bool(c->arena, p->model, "may_create", page_may(c, PERM_CONTEXT_CREATE));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return put_owners(c, p, "agent_id");
}

static err contexts(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "contexts");
    const struct context *x;
    struct names *names;
    struct page page;

    TRY(context_list(c, &(struct context_filter){.type = query_enum(p, "type", &context_type_enumx),
                                                 .scope = query_enum(p, "scope", &context_scope_enumx),
                                                 .q = page_query(p, "q"), .include_archived = page_query(p, "archived") != NULL,
                                                 .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")}, &page));
    TRY(names_load(c, &names));
    x = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_context(c, add_row(c, list), &x[i], names);
    put_listing(c, p, "/admin/memory", &page);
    json_set(c->arena, p->model, "types", enum_choices(c, &context_type_enumx, "any", page_query(p, "type")));
    json_set(c->arena, p->model, "scopes", enum_choices(c, &context_scope_enumx, "any", page_query(p, "scope")));
    json_set_bool(c->arena, p->model, "archived", page_query(p, "archived") != NULL);
    json_set_bool(c->arena, p->model, "may_see_junk", page_may(c, PERM_MEMORY_MANAGE));
    put_undo(c, p);
    TRY(put_found(c, p, NULL));
    TRY(add_new_form(c, p));
    return page_show(p, "contexts");
}

static err create(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(page_run(c, p, "context.create", NULL, &r));
    page_say(c, p, "ok", "The context is there. Write its first entry.");
    return page_go(c, p, "/admin/memory/%s", UUID_STR(r.id));
}

/* ---- one of them */

static void add_counts(struct ctx *c, struct json *m, const char *name, const struct list *counts)
{
    const struct context_count *n = counts->v;
    struct json *list = put_list(c, m, name);

    for (size_t i = 0; i < counts->n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", n[i].name);
        json_set_str(c->arena, row, "n", model_count(c->arena, n[i].n));
    }
}

static const char *percent(struct ctx *c, double share)
{
    return arena_printf(c->arena, "%.1f %%", share * 100);
}

static err add_figures(struct ctx *c, struct page_call *p, const char *ref)
{
    struct json *m = json_set(c->arena, p->model, "figures", json_obj(c->arena));
    struct context_stats s;

    TRY(context_stats(c, ref, &s));
    json_set_str(c->arena, m, "archived", model_count(c->arena, s.archived_count));
    json_set_str(c->arena, m, "versions", model_count(c->arena, s.version_count));
    json_set_str(c->arena, m, "importance", s.entry_count ? arena_printf(c->arena, "%.2f", s.average_importance) : NULL);
    json_set_str(c->arena, m, "fill", percent(c, s.fill_entries > s.fill_bytes ? s.fill_entries : s.fill_bytes));
    add_counts(c, m, "types", &s.by_entry_type);
    return ERR_OK;
}

static void add_filter(struct ctx *c, struct page_call *p)
{
    json_set(c->arena, p->model, "entry_types", enum_choices(c, &entry_type_enumx, "any", page_query(p, "entry_type")));
    json_set(c->arena, p->model, "memory_types", enum_choices(c, &memory_type_enumx, "any", page_query(p, "memory_type")));
    json_set(c->arena, p->model, "orders", enum_choices(c, &entry_order_enumx, NULL, page_query(p, "order")));
    json_set_str(c->arena, p->model, "tag", page_query(p, "tag"));
    json_set_str(c->arena, p->model, "prefix", page_query(p, "prefix"));
    json_set_bool(c->arena, p->model, "archived", page_query(p, "archived") != NULL);
}

static bool may_write(const struct ctx *c, const struct context *x)
{
    return x->access >= ACCESS_WRITE && x->status == SPACE_ACTIVE && page_may(c, PERM_CONTEXT_UPDATE);
}

static err add_entries(struct ctx *c, struct page_call *p, const struct context *x, const char *ref)
{
    struct json *m = json_set(c->arena, p->model, "listing", json_obj(c->arena)), *list = put_list(c, m, "rows");
    int order = query_enum(p, "order", &entry_order_enumx);
    const struct entry *e;
    struct page page;

    TRY(entry_list(c, ref, &(struct entry_filter){.entry_type = query_enum(p, "entry_type", &entry_type_enumx),
                                                  .memory_type = query_enum(p, "memory_type", &memory_type_enumx),
                                                  .tag = page_query(p, "tag"), .prefix = page_query(p, "prefix"),
                                                  .include_archived = page_query(p, "archived") != NULL,
                                                  .order = order < 0 ? ENTRY_BY_RECENCY : (enum entry_order)order,
                                                  .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")}, &page));
    e = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_entry(c, add_row(c, list), &e[i]);
    json_set_bool(c->arena, m, "of_hits", false);
    json_set_bool(c->arena, m, "may_archive", may_write(c, x));
    add_filter(c, p);
    put_listing(c, p, arena_printf(c->arena, "/admin/memory/%s", ref), &page);
    return ERR_OK;
}

static err add_snapshots(struct ctx *c, struct page_call *p, const char *ref, const struct names *names)
{
    struct json *list = put_list(c, p->model, "snapshots");
    const struct context_snapshot *s;
    struct page page;

    TRY(context_snapshot_list(c, ref, SNAPSHOTS_SHOWN, NULL, &page));
    s = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        put_id(c, row, "id", s[i].id);
        json_set_str(c->arena, row, "name", s[i].name);
        json_set_bool(c->arena, row, "is_automatic", s[i].is_automatic);
        json_set_str(c->arena, row, "n_entries", model_count(c->arena, s[i].entry_count));
        json_set_str(c->arena, row, "author", names_find(names, s[i].author_id));
        put_time(c, row, "created_at", s[i].created_at);
    }
    return ERR_OK;
}

static void add_rights(struct ctx *c, struct json *m, const struct context *x)
{
    bool manages = x->access == ACCESS_MANAGE, updates = manages && page_may(c, PERM_CONTEXT_UPDATE);

    json_set_bool(c->arena, m, "may_write", may_write(c, x));
    json_set_bool(c->arena, m, "may_manage", updates);
    json_set_bool(c->arena, m, "may_archive", updates && x->status == SPACE_ACTIVE);
    json_set_bool(c->arena, m, "may_restore", updates && x->status == SPACE_ARCHIVED);
    json_set_bool(c->arena, m, "may_see_log", manages && page_may(c, PERM_CONTEXT_MANAGE));
    json_set_bool(c->arena, m, "may_delete", manages && page_may(c, PERM_CONTEXT_DELETE));
}

static void add_about(struct ctx *c, struct json *m, const struct context *x, const struct names *names)
{
    const char *policy = json_text_pretty(c->arena, json_opened(c->arena, x->retention_policy));

    put_context(c, m, x, names);
    put_id(c, m, "owner_id", x->owner_agent_id);
    json_set_str(c->arena, m, "shared_with", x->shared_with);
    json_set_str(c->arena, m, "retention", str_eq(policy, "{}") ? NULL : policy);
    json_set_int(c->arena, m, "version", x->version);
    put_time(c, m, "created_at", x->created_at);
    put_time(c, m, "archived_at", x->archived_at);
}

static err context_page(struct ctx *c, struct page_call *p)
{
    struct names *names;
    struct context x;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(context_get(c, ref, &x));
    TRY(names_load(c, &names));
    add_about(c, json_set(c->arena, p->model, "context", json_obj(c->arena)), &x, names);
    add_rights(c, p->model, &x);
    TRY(add_figures(c, p, ref));
    TRY(add_entries(c, p, &x, ref));
    TRY(add_snapshots(c, p, ref, names));
    TRY(put_found(c, p, ref));
    json_set(c->arena, p->model, "new_types", enum_choices(c, &entry_type_enumx, NULL, chosen(p, "entry_type", "observation")));
    put_formats(c, p, NULL);
    put_undo(c, p);
    json_set_bool(c->arena, p->model, "form_open", p->is_again && page_form(p, "format"));
    return page_show(p, "context");
}

/* ---- changes */

static err run_on(struct ctx *c, struct page_call *p, const char *op, struct json *extra)
{
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    json_set_str(c->arena, extra, "id", ref);
    TRY(page_run(c, p, op, extra, NULL));
    return page_go(c, p, "/admin/memory/%s", ref);
}

static err update(struct ctx *c, struct page_call *p)
{
    TRY(run_on(c, p, "context.update", json_obj(c->arena)));
    page_say(c, p, "ok", "Saved.");
    return ERR_OK;
}

static err archive(struct ctx *c, struct page_call *p)
{
    TRY(run_on(c, p, "context.archive", json_obj(c->arena)));
    offer_undo(c, p, arena_printf(c->arena, "%s/unarchive", p->go), "The context is archived: out of recall, and read only.");
    return ERR_OK;
}

static err unarchive(struct ctx *c, struct page_call *p)
{
    TRY(run_on(c, p, "context.unarchive", json_obj(c->arena)));
    page_say(c, p, "ok", "The context is in use again.");
    return ERR_OK;
}

static err delete(struct ctx *c, struct page_call *p)
{
    struct context x;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(context_get(c, ref, &x));
    if (!str_eq(page_form(p, "confirm"), x.context_id))
        return fail_field(c, "/confirm", "type the handle of the context, %s, to delete it", x.context_id);
    TRY(run_on(c, p, "context.delete", json_obj(c->arena)));
    offer_undo(c, p, arena_printf(c->arena, "/admin/spaces/%s/undelete", ref),
               "%s is deleted. For %d days it can be brought back from among the deleted spaces.", x.name, SPACE_RESTORE_DAYS);
    return page_go(c, p, "/admin/memory");
}

static err write_entry(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *content;

    TRY(form_value(c, p, "content", &content));
    json_set(c->arena, extra, "content", content);
    json_set(c->arena, extra, "context_tags", form_tags(c, p, "tags"));
    TRY(run_on(c, p, "entry.put", extra));
    page_say(c, p, "ok", "Written. An entry that was there under this key has it as a new version.");
    return ERR_OK;
}

/* ---- snapshots */

static err snapshot(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);

    if (!page_form(p, "snapshot"))
        return fail_field(c, "/snapshot", "a snapshot has a name");
    json_set_str(c->arena, extra, "name", page_form(p, "snapshot"));
    TRY(run_on(c, p, "context_snapshot.create", extra));
    page_say(c, p, "ok", "The snapshot is taken.");
    return ERR_OK;
}

static err run_on_snapshot(struct ctx *c, struct page_call *p, const char *op)
{
    struct json *extra = json_obj(c->arena);
    const char *sid;

    TRY(memory_page_ref(c, p, 1, &sid));
    json_set_str(c->arena, extra, "sid", sid);
    return run_on(c, p, op, extra);
}

static err restore_snapshot(struct ctx *c, struct page_call *p)
{
    TRY(run_on_snapshot(c, p, "context_snapshot.restore"));
    page_say(c, p, "ok", "The entries say again what they said then. What was there just before is kept as a snapshot, too.");
    return ERR_OK;
}

static err delete_snapshot(struct ctx *c, struct page_call *p)
{
    TRY(run_on_snapshot(c, p, "context_snapshot.delete"));
    page_say(c, p, "ok", "The snapshot is gone; the entries stay.");
    return ERR_OK;
}

#define AT "/admin/memory"

const struct page_row context_pages[] = {
    {.method = "GET", .path = AT, .name = "page.contexts", .perm = PERM_CONTEXT_READ, .run = contexts,
     .nav = {.label = "Memory", .icon = "memory", .key = "m", .also = {"/admin/junk"}}},
    {.method = "POST", .path = AT, .name = "page.context.create", .perm = PERM_CONTEXT_CREATE, .run = create, .again = contexts},
    {.method = "GET", .path = AT "/:id", .name = "page.context", .perm = PERM_CONTEXT_READ, .run = context_page},
    {.method = "POST", .path = AT "/:id", .name = "page.context.update", .perm = PERM_CONTEXT_UPDATE, .run = update,
     .again = context_page},
    {.method = "POST", .path = AT "/:id/archive", .name = "page.context.archive", .perm = PERM_CONTEXT_UPDATE, .run = archive,
     .again = context_page},
    {.method = "POST", .path = AT "/:id/unarchive", .name = "page.context.unarchive", .perm = PERM_CONTEXT_UPDATE,
     .run = unarchive, .again = context_page},
    {.method = "POST", .path = AT "/:id/delete", .name = "page.context.delete", .perm = PERM_CONTEXT_DELETE, .run = delete,
     .again = context_page},
    {.method = "POST", .path = AT "/:id/entries", .name = "page.entry.put", .perm = PERM_CONTEXT_UPDATE, .run = write_entry,
     .again = context_page},
    {.method = "POST", .path = AT "/:id/snapshots", .name = "page.snapshot.create", .perm = PERM_CONTEXT_UPDATE, .run = snapshot,
     .again = context_page},
    {.method = "POST", .path = AT "/:id/snapshots/:sid/restore", .name = "page.snapshot.restore", .perm = PERM_CONTEXT_UPDATE,
     .run = restore_snapshot, .again = context_page},
    {.method = "POST", .path = AT "/:id/snapshots/:sid/delete", .name = "page.snapshot.delete", .perm = PERM_CONTEXT_UPDATE,
     .run = delete_snapshot, .again = context_page},
    {0},
};
