/* Webhooks: which there are, what became of each event for one, and what can be done about it. */
#include "event_html.h"

#include <string.h>

#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "people_html.h"
#include "space.h"
#include "webhook.h"

#define AT "/admin/webhooks"
#define SEPARATORS ", \t\r\n"

/* ---- parts of both pages */

static void webhook_page_put_state(struct ctx *c, struct json *row, const struct webhook *w)
{
    static const char *const KINDS[] = {[WEBHOOK_ACTIVE] = "ok", [WEBHOOK_PAUSED] = "off", [WEBHOOK_DISABLED] = "bad"};
    bool fails = w->status == WEBHOOK_ACTIVE && w->failing_since.us;

    put_badge(c, row, fails ? "warn" : KINDS[w->status], fails ? "failing" : enumx_name(&webhook_status_enumx, (int)w->status));
}

static const char *comma_list(struct ctx *c, const struct strs *list)
{
    struct buf b;

    buf_init(&b, c->arena, 64);
    for (size_t i = 0; i < list->n; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", list->v[i]);
    return list->n ? buf_str(&b) : NULL;
}

static void put_webhook(struct ctx *c, struct json *row, const struct webhook *w)
{
    put_id(c, row, "id", w->id);
    json_set_str(c->arena, row, "name", w->name);
    json_set_str(c->arena, row, "url", w->url);
    json_set_str(c->arena, row, "kinds", comma_list(c, &w->kinds));
    json_set_str(c->arena, row, "waiting", w->waiting ? model_count(c->arena, w->waiting) : NULL);
    json_set_str(c->arena, row, "dead", w->dead ? model_count(c->arena, w->dead) : NULL);
    json_set_str(c->arena, row, "reason", w->reason);
    json_set_str(c->arena, row, "last_error", w->last_error);
    webhook_page_put_state(c, row, w);
    put_time(c, row, "failing_since", w->failing_since);
    put_time(c, row, "last_success_at", w->last_success_at);
    put_time(c, row, "last_failure_at", w->last_failure_at);
    put_time(c, row, "created_at", w->created_at);
}

static bool webhook_page_is_among(const struct uuids *list, struct uuid id)
{
    for (size_t i = 0; i < list->n; i++)
        if (uuid_eq(list->v[i], id))
            return true;
    return false;
}

/* The spaces one may read, to choose among: what was posted is chosen, else those of before. */
static err put_spaces(struct ctx *c, struct page_call *p, const struct uuids *before)
{
    struct json *list = put_list(c, p->model, "spaces");
    struct uuids shown = {ARENA_ARRAY(c->arena, struct uuid, LIMIT_EVENT_SPACES), 0};
    struct strs posted = {0};
    const struct space *s;
    struct page page;

    if (p->is_again)
        posted = page_form_all(c, p, "spaces");
    for (size_t i = 0; i < posted.n && shown.n < LIMIT_EVENT_SPACES; i++)
        shown.n += uuid_parse(posted.v[i], &shown.v[shown.n]);
    if (!p->is_again)
        shown = *before;
    TRY(space_list(c, &(struct space_filter){.kind = -1, .status = -1, .limit = LIMIT_PAGE}, &page));
    s = page.items;
    for (size_t i = 0; i < page.n; i++)
        add_choice(c, list, arena_strdup(c->arena, UUID_STR(s[i].id)), s[i].name, webhook_page_is_among(&shown, s[i].id));
    return ERR_OK;
}

/* ---- the list */

static err webhooks(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "webhooks");
    const struct webhook *w;
    struct page page;

    TRY(webhook_list(c, &(struct thing_page){LIMIT_PAGE_DEFAULT, page_query(p, "cursor")}, &page));
    w = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_webhook(c, add_row(c, list), &w[i]);
    put_listing(c, p, AT, &page);
    TRY(put_spaces(c, p, &(struct uuids){0}));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "webhooks");
}

/* What the form lists: kinds with commas between, and spaces that are chosen. */
static struct json *lists_of(struct ctx *c, const struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *kinds = put_list(c, extra, "kinds"), *spaces = put_list(c, extra, "spaces");
    const char *text = page_form(p, "kinds");
    struct strs chosen = page_form_all(c, p, "spaces");

    for (const char *at = text ? text : ""; *(at += strspn(at, SEPARATORS)); at += strcspn(at, SEPARATORS))
        json_push(kinds, json_str(c->arena, arena_strndup(c->arena, at, strcspn(at, SEPARATORS))));
    for (size_t i = 0; i < chosen.n; i++)
        if (!str_empty(chosen.v[i]))
            json_push(spaces, json_str(c->arena, chosen.v[i]));
    return extra;
}

/* The secret is for the next page alone. */
static err go_with_secret(struct ctx *c, struct page_call *p, const struct call_result *r)
{
    struct json *once = json_obj(c->arena);

    json_set_str(c->arena, once, "secret", json_get_str(r->data, "secret"));
    page_once(p, once);
    return page_go(c, p, AT "/%s", UUID_STR(r->id));
}

static err webhook_page_create(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(page_run(c, p, "webhook.create", lists_of(c, p), &r));
    page_say(c, p, "ok", "Webhook \"%s\" created.", json_get_str(r.data, "name"));
    return go_with_secret(c, p, &r);
}

/* ---- one */

static const char *subject_href(struct ctx *c, const struct webhook_delivery *d)
{
    if (!str_starts(d->kind, "node.") || uuid_is_nil(d->subject_id))
        return NULL;
    return arena_printf(c->arena, "/admin/nodes/%s", UUID_STR(d->subject_id));
}

/* "204 in 12 ms", "no answer"; NULL: it was not tried yet. */
static const char *answer_text(struct ctx *c, const struct webhook_delivery *d)
{
    if (!d->attempts)
        return NULL;
    if (!d->http_status)
        return "no answer";
    return arena_printf(c->arena, "%lld in %s ms", (long long)d->http_status, model_count(c->arena, d->ms));
}

static void put_delivery(struct ctx *c, struct json *row, const struct webhook_delivery *d, bool is_active)
{
    static const char *const KINDS[] = {
        [DELIVERY_PENDING] = "info", [DELIVERY_DELIVERED] = "ok", [DELIVERY_DEAD] = "bad", [DELIVERY_WITHHELD] = "off",
    };

    put_id(c, row, "id", d->id);
    put_id(c, row, "event_id", d->event_id);
    json_set_str(c->arena, row, "seq", model_count(c->arena, d->seq));
    json_set_str(c->arena, row, "kind", d->kind);
    put_id(c, row, "subject_id", d->subject_id);
    json_set_str(c->arena, row, "subject_href", subject_href(c, d));
    put_badge(c, row, KINDS[d->status], d->status == DELIVERY_DEAD ? "failed" : enumx_name(&delivery_status_enumx, (int)d->status));
    json_set_str(c->arena, row, "attempts", model_count(c->arena, d->attempts));
    json_set_str(c->arena, row, "answer", answer_text(c, d));
    json_set_str(c->arena, row, "error", d->error);
    put_time(c, row, "created_at", d->created_at);
    put_time(c, row, "tried_at", d->tried_at);
    json_set_bool(c->arena, row, "may_replay", is_active && d->status != DELIVERY_PENDING);
}

static err put_deliveries(struct ctx *c, struct page_call *p, const struct webhook *w)
{
    struct json *list = put_list(c, p->model, "deliveries");
    struct delivery_filter f = {.id = w->id, .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    int status = query_enum(p, "status", &delivery_status_enumx);
    const struct webhook_delivery *d;
    struct page page;

    f.status = status < 0 ? DELIVERY_ANY_ANY : (enum delivery_any)status;
    TRY(webhook_deliveries(c, &f, &page));
    d = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_delivery(c, add_row(c, list), &d[i], w->status == WEBHOOK_ACTIVE);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &delivery_status_enumx, "any", page_query(p, "status")));
    json_set_bool(c->arena, p->model, "is_filtered", status >= 0);
    put_listing(c, p, arena_printf(c->arena, AT "/%s", UUID_STR(w->id)), &page);
    return ERR_OK;
}

static err webhook_page(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "webhook", json_obj(c->arena));
    struct names *names;
    struct webhook w;
    struct uuid id;
    const char *owner;

    TRY(page_id(c, p, 0, &id));
    TRY(webhook_get(c, id, &w));
    TRY(names_load(c, &names));
    put_webhook(c, m, &w);
    owner = names_find(names, w.owner_id);
    json_set_str(c->arena, m, "owner", uuid_eq(w.owner_id, c->who->id) ? "you" : owner ? owner : "deleted user or agent");
    json_set_int(c->arena, m, "version", w.version);
    json_set_bool(c->arena, m, "is_active", w.status == WEBHOOK_ACTIVE);
    json_set_bool(c->arena, m, "is_disabled", w.status == WEBHOOK_DISABLED);
    json_set_str(c->arena, p->model, "secret", json_get_str(p->once, "secret"));
    TRY(put_spaces(c, p, &w.spaces));
    TRY(put_deliveries(c, p, &w));
    return page_show(p, "webhook");
}

/* ---- what is done to one */

static err webhook_page_with_id(struct ctx *c, const struct page_call *p, struct json *extra)
{
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    json_set_str(c->arena, extra, "id", p->params[0]);
    return ERR_OK;
}

static err back(struct ctx *c, struct page_call *p)
{
    return page_go(c, p, AT "/%s", p->params[0]);
}

static err webhook_page_update(struct ctx *c, struct page_call *p)
{
    struct json *extra = lists_of(c, p);

    TRY(webhook_page_with_id(c, p, extra));
    TRY(page_run(c, p, "webhook.update", extra, NULL));
    page_say(c, p, "ok", "Saved.");
    return back(c, p);
}

static err webhook_page_set_status(struct ctx *c, struct page_call *p, const char *status)
{
    struct json *extra = json_obj(c->arena);

    TRY(webhook_page_with_id(c, p, extra));
    json_set_str(c->arena, extra, "status", status);
    return page_run(c, p, "webhook.update", extra, NULL);
}

static err pause_it(struct ctx *c, struct page_call *p)
{
    TRY(webhook_page_set_status(c, p, "paused"));
    page_say(c, p, "ok", "Webhook paused: events wait.");
    return back(c, p);
}

static err webhook_page_resume(struct ctx *c, struct page_call *p)
{
    TRY(webhook_page_set_status(c, p, "active"));
    page_say(c, p, "ok", "Webhook resumed.");
    return back(c, p);
}

static err webhook_page_rotate(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    TRY(webhook_page_with_id(c, p, extra));
    TRY(page_run(c, p, "webhook.rotate_secret", extra, &r));
    page_say(c, p, "ok", "New secret created; the old one no longer works.");
    return go_with_secret(c, p, &r);
}

static err replay(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct uuid delivery;

    TRY(webhook_page_with_id(c, p, extra));
    TRY(page_id(c, p, 1, &delivery));
    json_set_str(c->arena, extra, "delivery_id", p->params[1]);
    TRY(page_run(c, p, "webhook.replay", extra, NULL));
    page_say(c, p, "ok", "The event will be delivered again.");
    return back(c, p);
}

static err replay_dead(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r;

    TRY(webhook_page_with_id(c, p, extra));
    TRY(page_run(c, p, "webhook.replay_dead", extra, &r));
    page_say(c, p, "ok", "%s will be delivered again, oldest first.",
             model_count(c->arena, json_get_int(r.data, "replayed", 0)));
    return back(c, p);
}

static err remove_it(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);

    TRY(webhook_page_with_id(c, p, extra));
    TRY(page_run(c, p, "webhook.delete", extra, NULL));
    page_say(c, p, "ok", "Webhook and delivery log deleted.");
    return page_go(c, p, AT);
}

#define ROW(path_, name_, run_) \
    {.method = "POST", .path = AT path_, .name = "page.webhook." name_, .perm = PERM_ACCOUNT_MANAGE, .run = (run_), .again = webhook_page}

const struct page_row webhook_pages[] = {
    {.method = "GET", .path = AT, .name = "page.webhooks", .perm = PERM_ACCOUNT_MANAGE, .run = webhooks,
     .nav = {.label = "Webhooks", .icon = "webhooks", .key = "w"}},
    {.method = "POST", .path = AT, .name = "page.webhook.create", .perm = PERM_ACCOUNT_MANAGE, .run = webhook_page_create, .again = webhooks},
    {.method = "GET", .path = AT "/:id", .name = "page.webhook", .perm = PERM_ACCOUNT_MANAGE, .run = webhook_page},
    ROW("/:id", "update", webhook_page_update),
    ROW("/:id/pause", "pause", pause_it),
    ROW("/:id/resume", "resume", webhook_page_resume),
    ROW("/:id/secret", "rotate", webhook_page_rotate),
    ROW("/:id/replay", "replay_dead", replay_dead),
    ROW("/:id/deliveries/:delivery/replay", "replay", replay),
    ROW("/:id/delete", "delete", remove_it),
    {0},
};
