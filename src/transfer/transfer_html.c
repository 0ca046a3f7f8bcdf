/* Exports, imports, and memories of other systems: asked for, looked at, taken in. */
#include "transfer_html.h"

#include <string.h>

#include "app.h"
#include "config.h"
#include "limit.h"
#include "memories.h"
#include "model.h"
#include "parts_html.h"
#include "people_html.h"
#include "space.h"
#include "transfer.h"

#define AT "/admin/transfers"
#define SHOWN 20       /* of each list; both are short-lived */
#define ERRORS_SHOWN 5 /* of memories: what is left for the next page must fit into a cookie */
#define ERROR_BYTES 200

/* ---- the lists */

static bool is_going_on(const struct transfer *t)
{
    return t->status == TRANSFER_WAITING || t->status == TRANSFER_RUNNING;
}

static void put_transfer(struct ctx *c, struct json *row, const struct transfer *t, const struct names *names)
{
    static const char *const KINDS[] = {
        [TRANSFER_WAITING] = "info", [TRANSFER_RUNNING] = "info", [TRANSFER_DONE] = "ok", [TRANSFER_FAILED] = "bad",
    };
    const char *name = names_find(names, t->actor_id);

    put_id(c, row, "id", t->id);
    put_badge(c, row, KINDS[t->status], enumx_name(&transfer_status_enumx, (int)t->status));
    json_set_str(c->arena, row, "who", name ? name : t->actor_kind);
    json_set_str(c->arena, row, "bytes", t->bytes ? model_bytes(c->arena, t->bytes) : NULL);
    json_set_str(c->arena, row, "lines", t->lines ? model_count(c->arena, t->lines) : NULL);
    json_set_str(c->arena, row, "error", t->error);
    json_set_str(c->arena, row, "bad_line", t->bad_line ? model_count(c->arena, t->bad_line) : NULL);
    json_set_bool(c->arena, row, "is_vault", t->format == TRANSFER_VAULT);
    json_set_bool(c->arena, row, "is_done", t->status == TRANSFER_DONE);
    json_set_bool(c->arena, row, "may_remove", t->status != TRANSFER_RUNNING);
    put_time(c, row, "created_at", t->created_at);
    put_time(c, row, "finished_at", t->finished_at);
    put_time(c, row, "expires_at", t->expires_at);
}

/* Table by table what an import added, or would have. */
static void put_report(struct ctx *c, struct json *row, const struct transfer *t)
{
    const struct json *report = json_opened(c->arena, t->report);
    struct json *list = put_list(c, row, "tables");
    int64_t added = 0, there = 0;

    for (const struct json *table = report ? report->first : NULL; table; table = table->next) {
        int64_t a = json_get_int(table, "added", 0), b = json_get_int(table, "there", 0);
        struct json *one;

        added += a;
        there += b;
        if (!a && !b)
            continue;
        one = add_row(c, list);
        json_set_str(c->arena, one, "name", table->key);
        json_set_str(c->arena, one, "added", model_count(c->arena, a));
        json_set_str(c->arena, one, "there", model_count(c->arena, b));
    }
    json_set_bool(c->arena, row, "has_report", list->first != NULL);
    json_set_str(c->arena, row, "added", model_count(c->arena, added));
    json_set_str(c->arena, row, "there", model_count(c->arena, there));
}

static void put_direction(struct ctx *c, struct json *row, const struct transfer *t)
{
    if (t->direction == TRANSFER_EXPORT) {
        json_set_bool(c->arena, row, "with_vectors", t->with_vectors);
        json_set_bool(c->arena, row, "with_audit", t->with_audit);
        return;
    }
    json_set_str(c->arena, row, "mode", t->format == TRANSFER_VAULT ? "vault" : enumx_name(&import_mode_enumx, (int)t->mode));
    json_set_bool(c->arena, row, "is_dry", t->dry_run);
    put_report(c, row, t);
}

static err transfer_page_add_list(struct ctx *c, struct json *m, const char *name, enum transfer_direction direction,
                                  const struct names *names, bool *busy)
{
    struct json *list = put_list(c, json_set(c->arena, m, name, json_obj(c->arena)), "rows");
    const struct transfer *t;
    struct page page;

    TRY(transfer_list(c, direction, SHOWN, NULL, &page));
    t = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        put_transfer(c, row, &t[i], names);
        put_direction(c, row, &t[i]);
        *busy |= is_going_on(&t[i]);
    }
    return ERR_OK;
}

/* ---- the forms */

static void add_modes(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "modes");
    const char *shown = chosen(p, "mode", "merge");

    add_choice(c, list, "merge", "Merge: existing records stay unchanged", str_eq(shown, "merge"));
    add_choice(c, list, "restore", "Restore: into an account that has nothing but users", str_eq(shown, "restore"));
}

static void add_formats(struct ctx *c, struct page_call *p)
{
    static const struct { const char *value, *text; } FORMATS[] = {
        {"chat", "Conversations of ChatGPT or Claude (conversations.json)"}, {"mem0", "mem0: its list of memories (JSON)"},
        {"markdown", "Markdown notes (.tar of a folder)"},
    };
    struct json *list = put_list(c, p->model, "formats");
    const char *shown = chosen(p, "format", "chat");

    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        add_choice(c, list, FORMATS[i].value, FORMATS[i].text, str_eq(shown, FORMATS[i].value));
}

/* Where memories may go. */
static err transfer_page_add_spaces(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "spaces");
    const char *shown = chosen(p, "space_id", NULL);
    const struct space *s;
    struct page page;

    TRY(space_list(c, &(struct space_filter){.kind = -1, .status = SPACE_ACTIVE, .limit = LIMIT_PAGE}, &page));
    s = page.items;
    for (size_t i = 0; i < page.n; i++) {
        const char *id = arena_strdup(c->arena, UUID_STR(s[i].id));

        if (s[i].access < ACCESS_WRITE || s[i].kind == SPACE_POOL || s[i].kind == SPACE_CONTEXT)
            continue;
        if (!shown && uuid_is_nil(s[i].owner_agent_id) && uuid_is_nil(s[i].team_id))
            shown = id; /* rather everybody's than somebody's own */
        add_choice(c, list, id, s[i].name, str_eq(shown, id));
    }
    return ERR_OK;
}

/* Ticked, unless it was posted without. */
static bool only_tries(const struct page_call *p, const char *form)
{
    return !p->is_again || !str_eq(page_form(p, "form"), form) || page_form(p, "dry_run");
}

static err transfers(struct ctx *c, struct page_call *p)
{
    bool may_export = page_may(c, PERM_EXPORT_RUN), may_import = may_export && page_may(c, PERM_ACCOUNT_MANAGE), busy = false;
    const struct json *taken = p->once ? json_get(p->once, "taken") : NULL;
    struct names *names;

    TRY(names_load(c, &names));
    if (may_export) {
        TRY(transfer_page_add_list(c, p->model, "exports", TRANSFER_EXPORT, names, &busy));
        TRY(transfer_page_add_list(c, p->model, "imports", TRANSFER_IMPORT, names, &busy));
    }
    add_modes(c, p);
    add_formats(c, p);
    TRY(transfer_page_add_spaces(c, p));
    json_set(c->arena, p->model, "taken", taken ? arena_memdup(c->arena, taken, sizeof *taken) : json_new(c->arena, JSON_NULL));
    json_set_bool(c->arena, p->model, "may_import", may_import);
    json_set_bool(c->arena, p->model, "is_busy", busy);
    json_set_bool(c->arena, p->model, "import_tries", only_tries(p, "import"));
    json_set_bool(c->arena, p->model, "memories_try", only_tries(p, "memories"));
    json_set_int(c->arena, p->model, "keep_days", c->app->conf->transfer_keep_days);
    json_set_str(c->arena, p->model, "upload_max", model_bytes(c->arena, c->app->conf->http_max_upload));
    return page_show(p, "transfers");
}

/* ---- doing */

static err export_create(struct ctx *c, struct page_call *p)
{
    TRY(page_run(c, p, "export.create", NULL, NULL));
    page_say(c, p, "ok", "Export started. It can be downloaded below when it is done.");
    return page_go(c, p, AT);
}

static err export_remove(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    json_set_str(c->arena, extra, "id", p->params[0]);
    TRY(page_run(c, p, "export.remove", extra, NULL));
    page_say(c, p, "ok", "Export and file deleted.");
    return page_go(c, p, AT);
}

static struct json *dry_or_not(struct ctx *c, const struct page_call *p)
{
    struct json *extra = json_obj(c->arena);

    json_set_bool(c->arena, extra, "dry_run", page_form(p, "dry_run") != NULL);
    return extra;
}

static err transfer_page_import_create(struct ctx *c, struct page_call *p)
{
    TRY(page_take(c, p, "import.create", dry_or_not(c, p), NULL));
    page_say(c, p, "ok", page_form(p, "dry_run") ? "Dry run started. Its report appears below; nothing is changed."
                                                 : "Import started. Its report appears below when it is done.");
    return page_go(c, p, AT);
}

/* What became of the memories, for the next page. */
static struct json *taken_of(struct ctx *c, const struct page_call *p, const struct json *done)
{
    static const char *const FIGURES[] = {"read", "added", "there", "failed", "links"};
    const struct json *errors = json_get(done, "errors");
    struct json *m = json_obj(c->arena), *list = put_list(c, m, "errors");
    int shown = 0;

    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++)
        json_set_str(c->arena, m, FIGURES[i], model_count(c->arena, json_get_int(done, FIGURES[i], 0)));
    json_set_bool(c->arena, m, "is_dry", json_get_bool(done, "dry_run", false));
    json_set_str(c->arena, m, "file", p->file->name ? arena_strndup(c->arena, p->file->name, strnlen(p->file->name, ERROR_BYTES)) : NULL);
    for (const struct json *e = errors ? errors->first : NULL; e && shown < ERRORS_SHOWN; e = e->next, shown++) {
        const char *key = json_get_str(e, "key"), *message = json_get_str(e, "message");
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "key", key ? arena_strndup(c->arena, key, strnlen(key, ERROR_BYTES)) : NULL);
        json_set_str(c->arena, row, "message", message ? arena_strndup(c->arena, message, strnlen(message, ERROR_BYTES)) : NULL);
    }
    return m;
}

static err memories(struct ctx *c, struct page_call *p)
{
    struct json *once = json_obj(c->arena);
    struct call_result r = {0};

    TRY(page_take(c, p, "import.memories", dry_or_not(c, p), &r));
    json_set(c->arena, once, "taken", taken_of(c, p, r.data));
    page_once(p, once);
    return page_go(c, p, AT);
}

const struct page_row transfer_pages[] = {
    {.method = "GET", .path = AT, .name = "page.transfers", .perm = PERM_MEMORY_WRITE, .run = transfers,
     .nav = {.label = "Export, import", .icon = "transfer", .key = "x"}},
    {.method = "POST", .path = AT "/exports", .name = "page.export.create", .perm = PERM_EXPORT_RUN, .run = export_create, .again = transfers},
    {.method = "POST", .path = AT "/exports/:id/remove", .name = "page.export.remove", .perm = PERM_EXPORT_RUN, .run = export_remove,
     .again = transfers},
    {.method = "POST", .path = AT "/imports", .name = "page.import.create", .perm = PERM_EXPORT_RUN, .run = transfer_page_import_create, .again = transfers,
     .takes_file = true},
    {.method = "POST", .path = AT "/memories", .name = "page.import.memories", .perm = PERM_MEMORY_WRITE, .run = memories, .again = transfers,
     .takes_file = true},
    {0},
};
