/* The audit trail: who changed what, with filters and what was before and after. */
#include "audit_event_html.h"
#include "graph_html.h"

#include <string.h>

#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "people_html.h"

/* For completion while one types; a kind's first word finds all that begin with it. */
static const char *const KINDS[] = {
    "access.refuse", "account", "agent", "edge", "grant", "job", "node", "role", "space", "team", "token", "user",
    "user.login", "user.login_refuse", "vector",
};

/* ---- the filter */

static err audit_page_read_id(struct ctx *c, const struct page_call *p, const char *name, struct uuid *out)
{
    const char *text = page_query(p, name);

    if (!text || uuid_parse(text, out))
        return ERR_OK;
    return fail_field(c, arena_printf(c->arena, "/%s", name), "an id has 36 characters, such as 01998a3c-…");
}

/* Browsers send "2026-11-18T10:30"; it is meant in UTC. */
static err audit_page_read_time(struct ctx *c, const struct page_call *p, const char *name, struct instant *out)
{
    const char *text = page_query(p, name), *full;

    if (!text)
        return ERR_OK;
    full = strlen(text) == 16 ? arena_printf(c->arena, "%s:00Z", text)
        : strlen(text) == 10 ? arena_printf(c->arena, "%sT00:00:00Z", text) : text;
    if (instant_parse(full, out))
        return ERR_OK;
    return fail_field(c, arena_printf(c->arena, "/%s", name), "a time must look like 2026-11-18T10:30");
}

/* A filter that cannot be read is said beside its field, and the list goes on without it. */
static err audit_page_read_filter(struct ctx *c, const struct page_call *p, struct audit_filter *f)
{
    err e[] = {audit_page_read_id(c, p, "actor", &f->actor_id), audit_page_read_id(c, p, "subject", &f->subject_id),
               audit_page_read_time(c, p, "from", &f->from), audit_page_read_time(c, p, "to", &f->to)};

    f->kind = page_query(p, "kind");
    f->cursor = page_query(p, "cursor");
    f->limit = LIMIT_PAGE_DEFAULT;
    for (size_t i = 0; i < sizeof e / sizeof *e; i++)
        TRY(e[i]);
    return ERR_OK;
}

static void say_what_is_wrong(struct ctx *c, struct json *m)
{
    struct json *errors = json_obj(c->arena);

    for (const struct field_error *f = c->fault.fields; f; f = f->next)
        json_set_str(c->arena, errors, f->pointer + 1, f->detail);
    json_set(c->arena, m, "errors", errors);
    ctx_forgive(c);
}

/* The API's names for what the form has; moments become full ones. */
static struct json *audit_page_in_api_words(struct ctx *c, const struct audit_filter *f)
{
    struct json *query = json_obj(c->arena);

    if (f->kind)
        json_set_str(c->arena, query, "kind", f->kind);
    if (!uuid_is_nil(f->actor_id))
        put_id(c, query, "actor_id", f->actor_id);
    if (!uuid_is_nil(f->subject_id))
        put_id(c, query, "subject_id", f->subject_id);
    if (f->from.us)
        json_set_str(c->arena, query, "from", instant_text(f->from, arena_alloc(c->arena, INSTANT_TEXT)));
    if (f->to.us)
        json_set_str(c->arena, query, "to", instant_text(f->to, arena_alloc(c->arena, INSTANT_TEXT)));
    return query;
}

static void add_export(struct ctx *c, struct json *m, const struct json *query)
{
    struct json *export = json_set(c->arena, m, "export", json_obj(c->arena));

    json_set_str(c->arena, export, "csv", model_href(c->arena, "/api/v1/audit/export?format=csv", query));
    json_set_str(c->arena, export, "jsonl", model_href(c->arena, "/api/v1/audit/export?format=jsonl", query));
}

/* Somebody who is gone, or is not among the newest, can still be asked for by their id. */
static void add_actors(struct ctx *c, struct page_call *p, const struct names *names)
{
    struct json *list = put_list(c, p->model, "actors");
    const char *shown = page_query(p, "actor");
    struct uuid id;

    add_choice(c, list, "", "anybody", !shown);
    if (!names_choices(c, names, list, shown) && shown && uuid_parse(shown, &id))
        add_choice(c, list, shown, shown, true);
}

static void audit_page_add_filter(struct ctx *c, struct page_call *p)
{
    static const char *const NAMES[] = {"kind", "actor", "subject", "from", "to"};
    struct json *filter = json_set(c->arena, p->model, "filter", json_obj(c->arena)), *kinds = put_list(c, p->model, "kinds");
    bool any = false;

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const char *value = page_query(p, NAMES[i]);

        json_set_str(c->arena, filter, NAMES[i], value);
        any |= value != NULL;
    }
    json_set_bool(c->arena, p->model, "is_filtered", any);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        json_push(kinds, json_str(c->arena, KINDS[i]));
}

static err audit_page(struct ctx *c, struct page_call *p)
{
    struct audit_filter f = {0};
    struct names *names;
    struct page page;

    if (audit_page_read_filter(c, p, &f) != ERR_OK)
        say_what_is_wrong(c, p->model);
    TRY(audit_list(c, &f, &page));
    TRY(names_load(c, &names));
    TRY(put_audit_events(c, p->model, &page, names));
    audit_page_add_filter(c, p);
    add_actors(c, p, names);
    p->asked = audit_page_in_api_words(c, &f);
    add_export(c, p->model, p->asked);
    put_listing(c, p, "/admin/audit", &page);
    return page_show(p, "audit");
}

const struct page_row audit_pages[] = {
    {.method = "GET", .path = "/admin/audit", .name = "page.audit", .op = "audit.list", .perm = PERM_AUDIT_READ, .run = audit_page,
     .nav = {.label = "Audit", .icon = "audit", .key = "l"}},
    {0},
};
