/* What a context may hold, who may reach it, and its life: changed, archived and deleted after one has seen what that does. */
#include "context_html.h"

#include "context_snapshot.h"
#include "grant.h"
#include "graph_html.h"
#include "limit.h"
#include "retention.h"

#define AT "/admin/memory/:id"

/* ---- limits and figures */

static void context_settings_page_add_counts(struct ctx *c, struct json *m, const char *name, const struct list *counts)
{
    const struct context_count *n = counts->v;
    struct json *list = put_list(c, m, name);

    for (size_t i = 0; i < counts->n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", n[i].name);
        json_set_str(c->arena, row, "n", model_count(c->arena, n[i].n));
    }
}

static void context_settings_page_add_figures(struct ctx *c, struct page_call *p, const struct context *x, const struct context_stats *s)
{
    struct json *m = json_set(c->arena, p->model, "figures", json_obj(c->arena));
    struct retention r;

    retention_read(json_opened(c->arena, x->retention_policy), &r);
    put_quota(c, m, "entries", "Entries", x->entry_count, r.max_entries, model_count);
    put_quota(c, m, "bytes", "Bytes", x->data_size_bytes, r.max_size_bytes, model_bytes);
    json_set_str(c->arena, m, "importance", s->entry_count ? arena_printf(c->arena, "%.2f", s->average_importance) : NULL);
    json_set_str(c->arena, m, "max_age", r.max_age_days ? model_counted(c->arena, r.max_age_days, "day", "days") : NULL);
    json_set_str(c->arena, m, "lives", r.ttl_seconds ? model_duration(c->arena, r.ttl_seconds * SECOND_US) : NULL);
    json_set_bool(c->arena, m, "rejects", r.eviction == EVICT_REJECT);
    json_set_bool(c->arena, m, "archives", r.archive_before_delete);
    context_settings_page_add_counts(c, m, "types", &s->by_entry_type);
    context_settings_page_add_counts(c, m, "memory_types", &s->by_memory_type);
}

/* What goes, or goes out of sight, with the context. */
static err context_settings_page_add_loss(struct ctx *c, struct page_call *p, const struct context_view *v, const struct context_stats *s)
{
    struct json *m = json_set(c->arena, p->model, "loss", json_obj(c->arena));
    struct page snapshots;
    int64_t grants;

    TRY(context_snapshot_list(c, v->ref, SNAPSHOTS + SNAPSHOTS_AUTOMATIC, NULL, &snapshots));
    TRY(grant_number(c, v->context.id, &grants));
    json_set_str(c->arena, m, "entries", model_count(c->arena, s->entry_count));
    json_set_str(c->arena, m, "archived", model_count(c->arena, s->archived_count));
    json_set_str(c->arena, m, "versions", model_count(c->arena, s->version_count));
    json_set_str(c->arena, m, "size", model_bytes(c->arena, s->data_size_bytes));
    json_set_str(c->arena, m, "snapshots", model_count(c->arena, (int64_t)snapshots.n));
    json_set_str(c->arena, m, "grants", model_count(c->arena, grants));
    json_set_int(c->arena, m, "days", SPACE_RESTORE_DAYS);
    return ERR_OK;
}

static void context_settings_page_add_about(struct ctx *c, struct json *m, const struct context *x)
{
    const char *policy = json_text_pretty(c->arena, json_opened(c->arena, x->retention_policy));

    json_set_str(c->arena, m, "retention", str_eq(policy, "{}") ? NULL : policy);
    json_set_int(c->arena, m, "version", x->version);
    put_time(c, m, "created_at", x->created_at);
    put_time(c, m, "archived_at", x->archived_at);
}

static err settings_page(struct ctx *c, struct page_call *p)
{
    struct context_stats s;
    struct context_view v;
    bool manages;

    TRY(context_view_open(c, p, "settings", &v));
    TRY(context_stats(c, v.ref, &s));
    context_settings_page_add_about(c, json_get(p->model, "context"), &v.context);
    context_settings_page_add_figures(c, p, &v.context, &s);
    manages = json_get_bool(p->model, "may_manage", false);
    json_set_bool(c->arena, p->model, "may_archive", manages && v.context.status == SPACE_ACTIVE);
    json_set_bool(c->arena, p->model, "may_delete", v.context.access == ACCESS_MANAGE && page_may(c, PERM_CONTEXT_DELETE));
    if (v.context.access == ACCESS_MANAGE)
        TRY(context_settings_page_add_loss(c, p, &v, &s));
    return page_show(p, "context_settings");
}

/* ---- changes */

static err context_settings_page_update(struct ctx *c, struct page_call *p)
{
    TRY(context_run(c, p, "context.update", json_obj(c->arena), "/settings"));
    page_say(c, p, "ok", "Saved.");
    return ERR_OK;
}

static err context_settings_page_archive(struct ctx *c, struct page_call *p)
{
    TRY(context_run(c, p, "context.archive", json_obj(c->arena), ""));
    offer_undo(c, p, arena_printf(c->arena, "%s/unarchive", p->go), "Context archived: read-only and left out of recall.");
    return ERR_OK;
}

static err context_settings_page_unarchive(struct ctx *c, struct page_call *p)
{
    TRY(context_run(c, p, "context.unarchive", json_obj(c->arena), ""));
    page_say(c, p, "ok", "Context unarchived.");
    return ERR_OK;
}

static err delete (struct ctx *c, struct page_call *p)
{
    struct context x;
    const char *ref;

    TRY(memory_page_ref(c, p, 0, &ref));
    TRY(context_get(c, ref, &x));
    if (!str_eq(page_form(p, "confirm"), x.context_id))
        return fail_field(c, "/confirm", "enter the handle of the context, %s, to delete it", x.context_id);
    TRY(context_run(c, p, "context.delete", json_obj(c->arena), ""));
    offer_undo(c, p, arena_printf(c->arena, "/admin/spaces/%s/undelete", ref),
               "%s deleted. It can be restored for %d days on the page Spaces (status deleted).", x.name, SPACE_RESTORE_DAYS);
    return page_go(c, p, "/admin/memory");
}

/* ---- who may reach it */

static err context_settings_page_access_page(struct ctx *c, struct page_call *p)
{
    struct context_view v;

    TRY(context_view_open(c, p, "access", &v));
    TRY(put_access_page(c, p, v.context.id, v.context.access, PERM_CONTEXT_MANAGE, v.context.shared_with,
                        arena_printf(c->arena, "/admin/memory/%s/access", v.ref), v.names));
    return page_show(p, "context_access");
}

static err context_settings_page_grant(struct ctx *c, struct page_call *p)
{
    return post_grant(c, p, "/admin/memory", "/access");
}

static err context_settings_page_ungrant(struct ctx *c, struct page_call *p)
{
    return post_ungrant(c, p, "/admin/memory", "/access");
}

const struct page_row context_settings_pages[] = {
    {.method = "GET", .path = AT "/settings", .name = "page.context.settings", .op = "context.stats", .perm = PERM_CONTEXT_READ, .run = settings_page},
    {.method = "POST", .path = AT, .name = "page.context.update", .perm = PERM_CONTEXT_UPDATE, .run = context_settings_page_update, .again = settings_page},
    {.method = "POST", .path = AT "/archive", .name = "page.context.archive", .perm = PERM_CONTEXT_UPDATE, .run = context_settings_page_archive, .again = settings_page},
    {.method = "POST", .path = AT "/unarchive", .name = "page.context.unarchive", .perm = PERM_CONTEXT_UPDATE, .run = context_settings_page_unarchive,
     .again = settings_page},
    {.method = "POST", .path = AT "/delete", .name = "page.context.delete", .perm = PERM_CONTEXT_DELETE, .run = delete, .again = settings_page},
    {.method = "GET", .path = AT "/access", .name = "page.context.access", .perm = PERM_CONTEXT_READ, .run = context_settings_page_access_page},
    {.method = "POST", .path = AT "/access/grants", .name = "page.context.grant", .perm = PERM_CONTEXT_MANAGE, .run = context_settings_page_grant, .again = context_settings_page_access_page},
    {.method = "POST", .path = AT "/access/grants/:grant_id/remove", .name = "page.context.ungrant", .perm = PERM_CONTEXT_MANAGE, .run = context_settings_page_ungrant},
    {0},
};
