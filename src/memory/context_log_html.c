/* Who read, searched and changed a context, for who manages it. */
#include "context_html.h"

#include "access_log.h"
#include "limit.h"

static const char *context_log_page_text_of(struct ctx *c, const struct json *value)
{
    const struct json *v = value ? json_opened(c->arena, value) : NULL;

    return v ? value_preview(c, v) : NULL;
}

static void context_log_page_put_event(struct ctx *c, struct json *row, const struct access_event *e, const struct names *names)
{
    put_id(c, row, "id", e->id);
    json_set_str(c->arena, row, "action", enumx_name(&access_action_enumx, (int)e->action));
    json_set_str(c->arena, row, "by", enumx_name(&access_type_enumx, (int)e->access_type));
    if (uuid_is_nil(e->agent_id))
        put_who(c, row, "who", names, uuid_is_nil(e->user_id) ? "system" : "user", e->user_id);
    else
        put_who(c, row, "who", names, "agent", e->agent_id);
    json_set_str(c->arena, row, "refused", e->success ? NULL : e->error_message ? e->error_message : "refused");
    put_id(c, row, "entry_id", e->entry_id);
    json_set_str(c->arena, row, "before", context_log_page_text_of(c, e->previous_value));
    json_set_str(c->arena, row, "after", context_log_page_text_of(c, e->new_value));
    json_set_str(c->arena, row, "metadata", context_log_page_text_of(c, e->metadata));
    json_set_str(c->arena, row, "ip", str_empty(e->ip_address) ? NULL : e->ip_address);
    json_set_str(c->arena, row, "program", str_empty(e->user_agent) ? NULL : e->user_agent);
    json_set_str(c->arena, row, "request_id", e->request_id);
    put_time(c, row, "at", e->created_at);
}

static void context_log_page_add_ends(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "ends");
    const char *shown = page_query(p, "end");

    add_choice(c, list, "", "any", !shown);
    add_choice(c, list, "done", "done", str_eq(shown, "done"));
    add_choice(c, list, "refused", "refused", str_eq(shown, "refused"));
}

static err context_log_page_read_filter(struct ctx *c, const struct page_call *p, struct access_filter *f)
{
    const char *entry = page_query(p, "entry"), *end = page_query(p, "end");

    *f = (struct access_filter){.action = query_enum(p, "action", &access_action_enumx), .limit = LIMIT_PAGE_DEFAULT,
                                .success = str_eq(end, "done") ? 1 : str_eq(end, "refused") ? 0 : -1,
                                .cursor = page_query(p, "cursor")};
    if (entry && !uuid_parse(entry, &f->entry_id))
        return fail(c, ERR_NOT_FOUND, "no such entry");
    return ERR_OK;
}

static err log_page(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "events");
    const struct access_event *e;
    struct context_view v;
    struct access_filter f;
    struct page page;

    TRY(context_log_page_read_filter(c, p, &f));
    TRY(context_view_open(c, p, "log", &v));
    TRY(access_log_list(c, v.ref, &f, &page));
    e = page.items;
    for (size_t i = 0; i < page.n; i++)
        context_log_page_put_event(c, add_row(c, list), &e[i], v.names);
    json_set(c->arena, p->model, "actions", enum_choices(c, &access_action_enumx, "any", page_query(p, "action")));
    json_set_str(c->arena, p->model, "entry", page_query(p, "entry"));
    context_log_page_add_ends(c, p);
    put_listing(c, p, arena_printf(c->arena, "/admin/memory/%s/log", v.ref), &page);
    return page_show(p, "context_log");
}

const struct page_row context_log_pages[] = {
    {.method = "GET", .path = "/admin/memory/:id/log", .name = "page.context.log", .op = "context.access_log", .perm = PERM_CONTEXT_MANAGE, .run = log_page},
    {0},
};
