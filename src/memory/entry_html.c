/* One entry of a context: what it says, what it said before, its scores, and how to change, archive or forget it. */
#include "memory_html.h"

#include "limit.h"
#include "model.h"

struct place {
    const char *context, *entry; /* ids as text */
};

static err entry_page_place_of(struct ctx *c, const struct page_call *p, struct place *out)
{
    TRY(memory_page_ref(c, p, 0, &out->context));
    return memory_page_ref(c, p, 1, &out->entry);
}

/* ---- the page */

static void put_json(struct ctx *c, struct json *obj, const char *name, const struct json *value)
{
    const struct json *v = value ? json_opened(c->arena, value) : NULL;

    json_set_str(c->arena, obj, name, json_is(v, JSON_OBJ) && v->first ? json_text_pretty(c->arena, v) : NULL);
}

static const char *tags_text(struct ctx *c, const struct entry *e)
{
    struct buf b;

    buf_init(&b, c->arena, 64);
    for (size_t i = 0; i < e->context_tags.n; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", e->context_tags.v[i]);
    return buf_str(&b);
}

static void entry_page_put_author(struct ctx *c, struct json *obj, const struct entry *e, const struct names *names)
{
    put_who(c, obj, "author", names, e->author_kind, e->author_id);
}

static void entry_page_add_about(struct ctx *c, struct json *m, const struct entry *e, const struct names *names)
{
    put_entry(c, m, e);
    put_value(c, m, e->content);
    entry_page_put_author(c, m, e, names);
    put_json(c, m, "metadata", e->metadata);
    put_json(c, m, "task_context", e->task_context);
    json_set_str(c->arena, m, "tags_text", tags_text(c, e));
    json_set_str(c->arena, m, "source", e->source_id ? arena_printf(c->arena, "%s %s", e->source_type, e->source_id) : e->source_type);
    json_set_str(c->arena, m, "confidence", arena_printf(c->arena, "%.2f", e->confidence_score));
    json_set_str(c->arena, m, "relevance", arena_printf(c->arena, "%.4f", e->effective_relevance_score));
    json_set_str(c->arena, m, "decay", e->decay_rate > 0 ? arena_printf(c->arena, "%g", e->decay_rate) : NULL);
    json_set_str(c->arena, m, "outcome", e->outcome == OUTCOME_UNKNOWN ? NULL : enumx_name(&outcome_enumx, (int)e->outcome));
    json_set_bool(c->arena, m, "is_pending", str_eq(e->embedding, "pending"));
    put_badge(c, m, e->archived_at.us ? "off" : "ok", e->status);
    put_time(c, m, "created_at", e->created_at);
    put_time(c, m, "accessed_at", e->last_accessed_at);
    put_time(c, m, "archived_at", e->archived_at);
}

static err entry_page_add_history(struct ctx *c, struct page_call *p, const struct place *at, const struct names *names)
{
    struct json *list = put_list(c, p->model, "history");
    const struct entry *e;
    struct page page;

    TRY(entry_history(c, at->context, at->entry, LIMIT_PAGE_DEFAULT, page_query(p, "cursor"), &page));
    e = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        put_value(c, row, e[i].content);
        entry_page_put_author(c, row, &e[i], names);
        json_set_int(c->arena, row, "version", e[i].version);
        json_set_str(c->arena, row, "text", value_preview(c, e[i].content));
        put_time(c, row, "at", e[i].updated_at);
    }
    put_listing(c, p, arena_printf(c->arena, "/admin/memory/%s/entries/%s", at->context, at->entry), &page);
    return ERR_OK;
}

static void add_rights(struct ctx *c, struct json *m, const struct context *x, const struct entry *e)
{
    bool there = x->access >= ACCESS_WRITE && x->status == SPACE_ACTIVE, writes = there && page_may(c, PERM_CONTEXT_UPDATE);

    json_set_bool(c->arena, m, "may_write", writes && !e->archived_at.us);
    json_set_bool(c->arena, m, "may_restore", writes && e->archived_at.us);
    json_set_bool(c->arena, m, "may_see_log", x->access == ACCESS_MANAGE && page_may(c, PERM_CONTEXT_MANAGE));
    json_set_bool(c->arena, m, "may_forget", there && page_may(c, PERM_CONTEXT_DELETE));
}

static err entry_page(struct ctx *c, struct page_call *p)
{
    struct names *names;
    struct json *m;
    struct context x;
    struct place at;
    struct entry e;

    TRY(entry_page_place_of(c, p, &at));
    TRY(context_get(c, at.context, &x));
    TRY(entry_get(c, at.context, at.entry, &e));
    TRY(names_load(c, &names));
    m = json_set(c->arena, p->model, "context", json_obj(c->arena));
    put_id(c, m, "id", x.id);
    json_set_str(c->arena, m, "name", x.name);
    entry_page_add_about(c, json_set(c->arena, p->model, "entry", json_obj(c->arena)), &e, names);
    add_rights(c, p->model, &x, &e);
    TRY(entry_page_add_history(c, p, &at, names));
    put_formats(c, p, e.content);
    put_undo(c, p);
    return page_show(p, "entry");
}

/* ---- changes */

/* Goes to the entry as it is now: a fact has another id after a new value. */
static err entry_page_run_on(struct ctx *c, struct page_call *p, const char *op, struct json *extra)
{
    struct call_result r = {0};
    const char *now;
    struct place at;

    TRY(entry_page_place_of(c, p, &at));
    json_set_str(c->arena, extra, "id", at.context);
    json_set_str(c->arena, extra, "eid", at.entry);
    TRY(page_run(c, p, op, extra, &r));
    now = json_get_str(r.data, "id");
    return page_go(c, p, "/admin/memory/%s/entries/%s", at.context, now ? now : at.entry);
}

static err entry_page_update(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena), *content;

    TRY(form_value(c, p, "content", &content));
    json_set(c->arena, extra, "content", content);
    json_set(c->arena, extra, "context_tags", form_tags(c, p, "tags"));
    TRY(entry_page_run_on(c, p, "entry.update", extra));
    page_say(c, p, "ok", "Saved. If the content changed, the old one is kept as a version below.");
    return ERR_OK;
}

static err entry_page_pin(struct ctx *c, struct page_call *p)
{
    TRY(entry_page_run_on(c, p, "entry.update", json_obj(c->arena)));
    page_say(c, p, "ok", str_eq(page_form(p, "is_pinned"), "true") ? "Pinned: its importance does not decay and it is never evicted."
                                                                   : "Unpinned.");
    return ERR_OK;
}

static err entry_page_boost(struct ctx *c, struct page_call *p)
{
    return entry_page_run_on(c, p, "entry.boost", json_obj(c->arena));
}

static err entry_page_reduce(struct ctx *c, struct page_call *p)
{
    return entry_page_run_on(c, p, "entry.reduce", json_obj(c->arena));
}

static err revert(struct ctx *c, struct page_call *p)
{
    TRY(entry_page_run_on(c, p, "entry.revert", json_obj(c->arena)));
    page_say(c, p, "ok", "Old content restored as a new version.");
    return ERR_OK;
}

/* From a list one comes back to the list. */
static err entry_page_archive(struct ctx *c, struct page_call *p)
{
    struct place at;
    const char *it;

    TRY(entry_page_place_of(c, p, &at));
    TRY(entry_page_run_on(c, p, "entry.archive", json_obj(c->arena)));
    it = p->go;
    offer_undo(c, p, arena_printf(c->arena, "%s/unarchive", it), "Archived: recall and lists leave it out, and its key is free.");
    return str_eq(page_form(p, "from"), "list") ? page_go(c, p, "/admin/memory/%s", at.context) : ERR_OK;
}

static err entry_page_unarchive(struct ctx *c, struct page_call *p)
{
    TRY(entry_page_run_on(c, p, "entry.unarchive", json_obj(c->arena)));
    page_say(c, p, "ok", "Entry restored under its key.");
    return ERR_OK;
}

static err entry_page_forget(struct ctx *c, struct page_call *p)
{
    struct place at;

    TRY(entry_page_place_of(c, p, &at));
    TRY(entry_page_run_on(c, p, "entry.forget", json_obj(c->arena)));
    offer_undo(c, p, arena_printf(c->arena, "%s/unarchive", p->go), "Forgotten: it is hidden from all reads.");
    return page_go(c, p, "/admin/memory/%s", at.context);
}

#define AT "/admin/memory/:id/entries/:eid"
#define CHANGE(verb_, run_) \
    {.method = "POST", .path = AT "/" verb_, .name = "page.entry." verb_, .perm = PERM_CONTEXT_UPDATE, .run = (run_), .again = entry_page}

const struct page_row entry_pages[] = {
    {.method = "GET", .path = AT, .name = "page.entry", .op = "entry.get", .perm = PERM_CONTEXT_READ, .run = entry_page},
    {.method = "POST", .path = AT, .name = "page.entry.update", .perm = PERM_CONTEXT_UPDATE, .run = entry_page_update, .again = entry_page},
    CHANGE("pin", entry_page_pin),
    CHANGE("boost", entry_page_boost),
    CHANGE("reduce", entry_page_reduce),
    CHANGE("revert", revert),
    CHANGE("archive", entry_page_archive),
    CHANGE("unarchive", entry_page_unarchive),
    {.method = "POST", .path = AT "/forget", .name = "page.entry.forget", .perm = PERM_CONTEXT_DELETE, .run = entry_page_forget,
     .again = entry_page},
    {0},
};
