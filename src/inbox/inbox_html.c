/* The page Inbox: all that waits for the viewer, decided in place, and taken back where the room can. */
#include "inbox_html.h"

#include <string.h>

#include "diff.h"
#include "inbox.h"
#include "limit.h"
#include "model.h"
#include "parts_html.h"

#define AT "/admin/inbox"
#define SHOWN 20

static const char *href_of(struct ctx *c, const struct inbox_item *i)
{
    const char *pattern = i->source->href, *at = strchr(pattern, ':');
    struct uuid id = at && str_eq(at, ":subject") ? i->subject_id : i->id;

    return at ? arena_printf(c->arena, "%.*s%s", (int)(at - pattern), pattern, UUID_STR(id)) : pattern;
}

static const char *inbox_shade(const char *severity)
{
    return str_eq(severity, "critical") ? "bad" : str_eq(severity, "high") ? "warn" : str_eq(severity, "medium") ? "info" : "off";
}

static void put_actions(struct ctx *c, struct json *row, const struct inbox_item *i)
{
    const struct inbox_offer *offers = i->actions.v;
    struct json *list = put_list(c, row, "actions");
    bool takes_note = false, needs_note = false;

    for (size_t k = 0; k < i->actions.n; k++) {
        const struct inbox_action *a = &i->source->actions[k];
        struct json *one = add_row(c, list);

        json_set_str(c->arena, one, "name", a->name);
        json_set_str(c->arena, one, "label", a->label);
        json_set_str(c->arena, one, "key", a->key);
        json_set_bool(c->arena, one, "needs_note", a->needs_note);
        takes_note = takes_note || offers[k].note;
        needs_note = needs_note || a->needs_note;
    }
    json_set_bool(c->arena, row, "takes_note", takes_note);
    json_set_bool(c->arena, row, "needs_note", needs_note);
}

static void put_inbox_item(struct ctx *c, struct json *row, const struct inbox_item *i)
{
    bool pair = i->text && i->other_text;

    put_id(c, row, "id", i->id);
    json_set_str(c->arena, row, "kind", i->kind);
    json_set_str(c->arena, row, "label", i->source->label);
    json_set_str(c->arena, row, "title", str_empty(i->title) ? i->source->label : i->title);
    json_set_str(c->arena, row, "href", href_of(c, i));
    put_badge(c, row, inbox_shade(i->severity), i->severity);
    put_time(c, row, "due_at", i->due_at);
    json_set_bool(c->arena, row, "is_late", i->due_at.us && i->due_at.us < c->now.us);
    put_time(c, row, "at", i->at);
    json_set_str(c->arena, row, "text", i->text);
    json_set_str(c->arena, row, "other_text", i->other_text);
    json_set(c->arena, row, "diff", pair ? model_diff_words(c->arena, i->text, i->other_text) : json_new(c->arena, JSON_NULL));
    put_actions(c, row, i);
}

static void inbox_put_kinds(struct ctx *c, struct page_call *p)
{
    const char *now = page_query(p, "kind");
    struct json *list = put_list(c, p->model, "kinds");

    add_choice(c, list, "", "any", !now);
    for (const struct inbox_source *s = INBOX_SOURCES; s->kind; s++)
        if (page_may(c, s->perm))
            add_choice(c, list, s->kind, s->label, str_eq(now, s->kind));
}

static void put_taken_back(struct ctx *c, struct page_call *p)
{
    const struct json *left = json_get(p->once, "undo");
    struct json *undo = left ? json_set(c->arena, p->model, "undo", json_obj(c->arena)) : NULL;

    if (!left)
        return;
    json_set_str(c->arena, undo, "text", json_get_str(left, "text"));
    json_set_str(c->arena, undo, "action", json_get_str(left, "action"));
}

static err inbox_page(struct ctx *c, struct page_call *p)
{
    struct inbox_filter f = {.kind = page_query(p, "kind"), .limit = SHOWN, .cursor = page_query(p, "cursor")};
    struct json *rows = put_list(c, p->model, "items");
    const struct inbox_item *v;
    struct page page;

    TRY(inbox_list(c, &f, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_inbox_item(c, add_row(c, rows), &v[i]);
    inbox_put_kinds(c, p);
    put_taken_back(c, p);
    put_listing(c, p, AT, &page);
    json_set_str(c->arena, p->model, "filter", f.kind);
    return page_show(p, "inbox");
}

/* ---- deciding */

static const struct inbox_action *inbox_action_named(const struct inbox_source *s, const char *name)
{
    for (size_t i = 0; s && name && i < INBOX_ACTIONS && s->actions[i].name; i++)
        if (str_eq(s->actions[i].name, name))
            return &s->actions[i];
    return NULL;
}

static void offer_to_undo(struct ctx *c, struct page_call *p, const struct inbox_source *s, const struct inbox_action *a, const char *id)
{
    struct json *once = json_obj(c->arena), *undo = json_set(c->arena, once, "undo", json_obj(c->arena));

    json_set_str(c->arena, undo, "text", a->said);
    json_set_str(c->arena, undo, "action", arena_printf(c->arena, AT "/%s/%s/undo/%s", s->kind, id, a->name));
    page_once(p, once);
}

static err inbox_back(struct ctx *c, struct page_call *p)
{
    const char *kind = page_form(p, "from");

    return inbox_source_find(kind) ? page_go(c, p, AT "?kind=%s", kind) : page_go(c, p, AT);
}

static err inbox_decide(struct ctx *c, struct page_call *p)
{
    const struct inbox_source *s = inbox_source_find(p->params[0]);
    const struct inbox_action *a = inbox_action_named(s, page_form(p, "action"));
    const char *note = page_form(p, "note"), *by;
    struct call_result r;
    struct json *body;
    struct uuid id;

    TRY(page_id(c, p, 1, &id));
    if (!a)
        return fail(c, ERR_NOT_FOUND, "no such action");
    if (a->needs_note && !note)
        return fail_field(c, "/note", "write something first");
    body = inbox_body(c, a, id, note);
    if (strstr(a->path, ":id"))
        json_set_str(c->arena, body, "id", arena_strdup(c->arena, UUID_STR(id)));
    TRY(page_run(c, p, a->op, body, &r));
    by = a->undo_by ? json_get_str(r.data, a->undo_by) : arena_strdup(c->arena, UUID_STR(id));
    if (a->undo && by)
        offer_to_undo(c, p, s, a, by);
    else
        page_say(c, p, "ok", "%s", a->said);
    return inbox_back(c, p);
}

static err inbox_undo(struct ctx *c, struct page_call *p)
{
    const struct inbox_action *a = inbox_action_named(inbox_source_find(p->params[0]), p->params[2]);
    struct json *extra = json_obj(c->arena);
    struct call_result r;
    struct uuid id;

    TRY(page_id(c, p, 1, &id));
    if (!a || !a->undo)
        return fail(c, ERR_NOT_FOUND, "no such action");
    json_set_str(c->arena, extra, a->undo_by ? a->undo_by : "id", arena_strdup(c->arena, UUID_STR(id)));
    TRY(page_run(c, p, a->undo, extra, &r));
    page_say(c, p, "ok", "Taken back.");
    return page_go(c, p, AT);
}

const struct page_row inbox_pages[] = {
    {.method = "GET", .path = AT, .name = "page.inbox", .op = "review_queue.list", .perm = PERM_OVERSIGHT_READ, .run = inbox_page,
     .nav = {.label = "Inbox", .icon = "inbox", .key = "z", .count = inbox_count}},
    {.method = "POST", .path = AT "/:kind/:id", .name = "page.inbox.decide", .perm = PERM_OVERSIGHT_READ, .run = inbox_decide,
     .again = inbox_page},
    {.method = "POST", .path = AT "/:kind/:id/undo/:action", .name = "page.inbox.undo", .perm = PERM_OVERSIGHT_READ, .run = inbox_undo,
     .again = inbox_page},
    {0},
};
