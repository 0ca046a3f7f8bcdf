/* What the pages of memory have in common: values as people type them, owners to choose, undo; see memory_html.h. */
#include "memory_html.h"

#include <stdarg.h>
#include <string.h>

#include "agent.h"
#include "limit.h"
#include "team.h"

#define PREVIEW 160 /* characters of a value in a list */

err memory_page_ref(struct ctx *c, const struct page_call *p, size_t i, const char **out)
{
    struct uuid id;

    TRY(page_id(c, p, i, &id));
    *out = uuid_text(id, arena_alloc(c->arena, UUID_TEXT));
    return ERR_OK;
}

/* ---- values */

static bool memory_page_is_text(const struct json *value)
{
    return json_is(value, JSON_STR);
}

void put_value(struct ctx *c, struct json *obj, const struct json *value)
{
    const struct json *v = json_opened(c->arena, value);

    json_set_str(c->arena, obj, "value", !v ? NULL : memory_page_is_text(v) ? v->s : json_text_pretty(c->arena, v));
    json_set_bool(c->arena, obj, "is_json", !memory_page_is_text(v));
}

const char *value_preview(struct ctx *c, const struct json *value)
{
    const struct json *v = json_opened(c->arena, value);
    const char *s = !v ? "" : memory_page_is_text(v) ? v->s : json_text(c->arena, v);
    size_t n = str_first_bytes(s, PREVIEW);

    return s[n] ? arena_printf(c->arena, "%.*s…", (int)n, s) : s;
}

void put_formats(struct ctx *c, struct page_call *p, const struct json *value)
{
    const struct json *v = value ? json_opened(c->arena, value) : NULL;
    const char *shown = chosen(p, "format", v && !memory_page_is_text(v) ? "json" : "text");
    struct json *list = put_list(c, p->model, "formats");

    add_choice(c, list, "text", "text", str_eq(shown, "text"));
    add_choice(c, list, "json", "JSON", str_eq(shown, "json"));
}

/* Browsers send CRLF for every line break of a text area. */
static const char *unix_lines(struct ctx *c, const char *s)
{
    struct buf b;

    buf_init(&b, c->arena, strlen(s) + 1);
    for (; *s; s++)
        if (s[0] != '\r' || s[1] != '\n')
            buf_putc(&b, *s);
    return buf_str(&b);
}

const char *form_text(struct ctx *c, const struct page_call *p, const char *name)
{
    const char *typed = page_form(p, name);

    return typed ? unix_lines(c, typed) : NULL;
}

err form_value(struct ctx *c, const struct page_call *p, const char *name, struct json **out)
{
    const char *text = form_text(c, p, name), *why;

    if (!text)
        return fail_field(c, arena_printf(c->arena, "/%s", name), "this field is empty");
    if (!str_eq(page_form(p, "format"), "json")) {
        *out = json_str(c->arena, text);
        return ERR_OK;
    }
    if (json_parse(c->arena, text, strlen(text), out, &why) != JSON_OK)
        return fail_field(c, arena_printf(c->arena, "/%s", name), "not JSON: %s", why);
    return ERR_OK;
}

struct json *form_tags(struct ctx *c, const struct page_call *p, const char *name)
{
    struct json *list = json_arr(c->arena);
    const char *s = page_form(p, name);

    for (size_t n; s && *s; s += n + (s[n] == ',')) {
        n = strcspn(s, ",");
        if (strspn(s, " ") < n)
            json_push(list, json_str(c->arena, arena_strndup(c->arena, s, n)));
    }
    return list;
}

/* ---- whose */

err put_owners(struct ctx *c, struct page_call *p, const char *owner_field)
{
    struct json *owners = put_list(c, p->model, "owners"), *list = put_list(c, p->model, "teams");
    const char *owner = chosen(p, owner_field, ""), *team = chosen(p, "team_id", "");
    struct page agents, teams;
    const struct agent *a;
    const struct team *t;

    TRY(agent_list(c, &(struct agent_filter){.status = AGENT_ACTIVE, .limit = LIMIT_PAGE}, &agents));
    TRY(team_list(c, &(struct team_filter){.limit = LIMIT_PAGE}, &teams));
    add_choice(c, owners, "", "no agent", str_empty(owner));
    a = agents.items;
    for (size_t i = 0; i < agents.n; i++) {
        const char *id = uuid_text(a[i].id, arena_alloc(c->arena, UUID_TEXT));

        add_choice(c, owners, id, a[i].name, str_eq(id, owner));
    }
    add_choice(c, list, "", "no team", str_empty(team));
    t = teams.items;
    for (size_t i = 0; i < teams.n; i++) {
        const char *id = uuid_text(t[i].id, arena_alloc(c->arena, UUID_TEXT));

        add_choice(c, list, id, t[i].name, str_eq(id, team));
    }
    return ERR_OK;
}

/* ---- undo */

void offer_undo(struct ctx *c, struct page_call *p, const char *action, const char *fmt, ...)
{
    struct json *once = json_obj(c->arena), *undo = json_set(c->arena, once, "undo", json_obj(c->arena));
    va_list ap;

    va_start(ap, fmt);
    json_set_str(c->arena, undo, "text", arena_vprintf(c->arena, fmt, ap));
    va_end(ap);
    json_set_str(c->arena, undo, "action", action);
    page_once(p, once);
}

void put_undo(struct ctx *c, struct page_call *p)
{
    const struct json *left = json_get(p->once, "undo");
    struct json *undo;

    if (!left)
        return;
    undo = json_set(c->arena, p->model, "undo", json_obj(c->arena));
    json_set_str(c->arena, undo, "text", json_get_str(left, "text"));
    json_set_str(c->arena, undo, "action", json_get_str(left, "action"));
}

/* ---- tabs */

void put_memory_tabs(struct ctx *c, struct page_call *p, const char *shown)
{
    struct json *list = put_list(c, p->model, "tabs");

    json_set_str(c->arena, p->model, "tabs_label", "Memory");
    add_tab(c, list, "Contexts", "/admin/memory", str_eq(shown, "start"));
    if (page_may(c, PERM_MEMORY_READ)) {
        add_tab(c, list, "Working and short-term", "/admin/memory/working", str_eq(shown, "working"));
        add_tab(c, list, "Tree of spaces", "/admin/spaces/tree", false);
        add_tab(c, list, "Memories", "/admin/nodes", false);
    }
    if (page_may(c, PERM_MEMORY_MANAGE)) {
        add_tab(c, list, "Data quality", "/admin/junk", false);
        add_tab(c, list, "Duplicates", "/admin/duplicates", false);
    }
}
