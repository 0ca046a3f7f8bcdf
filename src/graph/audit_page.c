/* The audit trail: who changed what, with filters and what was before and after. */
#include "graph_page.h"

#include <string.h>

#include "limit.h"
#include "model.h"
#include "parts_page.h"

/* For completion while one types; a kind's first word finds all that begin with it. */
static const char *const KINDS[] = {
    "access.refuse", "account", "agent", "edge", "grant", "job", "node", "role", "space", "team", "token", "user",
    "user.login", "user.login_refuse", "vector",
};

/* ---- the filter */

static err read_id(struct ctx *c, const struct page_call *p, const char *name, struct uuid *out)
{
    const char *text = page_query(p, name);

    if (!text || uuid_parse(text, out))
        return ERR_OK;
    return fail_field(c, arena_printf(c->arena, "/%s", name), "an id looks like 01998a3c-…, 36 characters");
}

/* Browsers send "2026-11-18T10:30"; it is meant in UTC. */
static err read_time(struct ctx *c, const struct page_call *p, const char *name, struct instant *out)
{
    const char *text = page_query(p, name), *full;

    if (!text)
        return ERR_OK;
    full = strlen(text) == 16 ? arena_printf(c->arena, "%s:00Z", text)
        : strlen(text) == 10 ? arena_printf(c->arena, "%sT00:00:00Z", text) : text;
    if (instant_parse(full, out))
        return ERR_OK;
    return fail_field(c, arena_printf(c->arena, "/%s", name), "a moment looks like 2026-11-18T10:30");
}

/* A filter that cannot be read is said beside its field, and the list goes on without it. */
static err read_filter(struct ctx *c, const struct page_call *p, struct audit_filter *f)
{
    err e[] = {read_id(c, p, "actor", &f->actor_id), read_id(c, p, "subject", &f->subject_id),
               read_time(c, p, "from", &f->from), read_time(c, p, "to", &f->to)};

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
static struct json *in_api_words(struct ctx *c, const struct audit_filter *f)
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

static void add_filter(struct ctx *c, struct page_call *p)
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

/* ---- one event */

static const char *shown(struct ctx *c, const struct json *j)
{
    if (!j || j->type == JSON_NULL)
        return NULL;
    return j->type == JSON_STR ? j->s : json_text(c->arena, j);
}

static void add_change(struct ctx *c, struct json *rows, const char *field, const struct json *before,
                       const struct json *after)
{
    struct json *row;

    if (json_equal(before, after))
        return;
    row = add_row(c, rows);
    json_set_str(c->arena, row, "field", field);
    json_set_str(c->arena, row, "before", shown(c, before));
    json_set_str(c->arena, row, "after", shown(c, after));
}

static void add_changes(struct ctx *c, struct json *row, const struct audit_event *e)
{
    const struct json *before = json_opened(c->arena, e->before), *after = json_opened(c->arena, e->after);
    struct json *rows;

    if (!json_is(before, JSON_OBJ) && !json_is(after, JSON_OBJ)) {
        json_set(c->arena, row, "changes", json_new(c->arena, JSON_NULL));
        return;
    }
    rows = put_list(c, json_set(c->arena, row, "changes", json_obj(c->arena)), "rows");
    for (const struct json *m = json_is(before, JSON_OBJ) ? before->first : NULL; m; m = m->next)
        add_change(c, rows, m->key, m, json_get(after, m->key));
    for (const struct json *m = json_is(after, JSON_OBJ) ? after->first : NULL; m; m = m->next)
        if (!json_get(before, m->key))
            add_change(c, rows, m->key, NULL, m);
}

static void add_subject(struct ctx *c, struct json *row, const struct audit_event *e, const struct names *names)
{
    static const struct { const char *kind, *folder; } PAGES[] = {
        {"user", "users"}, {"agent", "agents"}, {"team", "teams"}, {"space", "spaces"}, {"node", "nodes"},
    };
    const char *href = NULL, *name = names_find(names, e->subject_id);

    for (size_t i = 0; i < sizeof PAGES / sizeof *PAGES && !uuid_is_nil(e->subject_id); i++)
        if (str_eq(PAGES[i].kind, e->subject_kind))
            href = arena_printf(c->arena, "/admin/%s/%s", PAGES[i].folder, UUID_STR(e->subject_id));
    json_set_str(c->arena, row, "subject_kind", e->subject_kind);
    json_set_str(c->arena, row, "subject_href", href);
    json_set_str(c->arena, row, "subject_name", name || uuid_is_nil(e->subject_id) ? name :
                 arena_printf(c->arena, "%.13s…", UUID_STR(e->subject_id)));
    put_id(c, row, "subject_id", e->subject_id);
}

static void add_event(struct ctx *c, struct json *row, const struct audit_event *e, const struct names *names)
{
    const struct json *payload = json_opened(c->arena, e->payload);

    put_id(c, row, "id", e->id);
    put_time(c, row, "at", e->at);
    json_set_str(c->arena, row, "kind", e->kind);
    json_set_bool(c->arena, row, "is_refusal", strstr(e->kind, "refuse") != NULL);
    json_set_str(c->arena, row, "actor_kind", e->actor_kind);
    json_set_str(c->arena, row, "actor_name", actor_name(c, names, e));
    put_id(c, row, "actor_id", e->actor_id);
    add_subject(c, row, e, names);
    json_set_str(c->arena, row, "space_name", NULL);
    json_set_str(c->arena, row, "request_id", e->request_id);
    json_set_str(c->arena, row, "ip", str_empty(e->ip) ? NULL : e->ip);
    add_changes(c, row, e);
    json_set_str(c->arena, row, "payload", payload ? json_text_pretty(c->arena, payload) : NULL);
    json_set_bool(c->arena, row, "is_signed", false);
}

static err audit_page(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "events");
    struct audit_filter f = {0};
    const struct audit_event *e;
    struct names *names;
    struct page page;

    if (read_filter(c, p, &f) != ERR_OK)
        say_what_is_wrong(c, p->model);
    TRY(audit_list(c, &f, &page));
    TRY(names_load(c, &names));
    e = page.items;
    for (size_t i = 0; i < page.n; i++)
        add_event(c, add_row(c, list), &e[i], names);
    add_filter(c, p);
    p->asked = in_api_words(c, &f);
    add_export(c, p->model, p->asked);
    put_listing(c, p, "/admin/audit", &page);
    return page_show(p, "audit");
}

const struct page_row audit_pages[] = {
    {.method = "GET", .path = "/admin/audit", .name = "page.audit", .op = "audit.list", .perm = PERM_AUDIT_READ, .run = audit_page,
     .nav = {.label = "Audit", .icon = "audit", .key = "l"}},
    {0},
};
