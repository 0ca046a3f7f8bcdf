/* All nodes that one may read: the list with its filters, what was forgotten, and the form that remembers something. */
#include "memory_html.h"

#include <string.h>

#include "limit.h"
#include "model.h"
#include "node.h"
#include "node_kind.h"
#include "space.h"

#define PREVIEW 180 /* characters of a body in the list */

/* ---- the list */

const char *node_name(struct ctx *c, const char *title, const char *kind)
{
    return str_empty(title) ? arena_printf(c->arena, "%s without a title", kind ? kind : "node") : title;
}

const char *node_place(struct ctx *c, struct uuid id)
{
    return arena_printf(c->arena, "/admin/nodes/%s", UUID_STR(id));
}

static const char *nodes_page_preview(struct ctx *c, const char *text)
{
    size_t n = text ? str_first_bytes(text, PREVIEW) : 0;

    return !text ? "" : text[n] ? arena_printf(c->arena, "%.*s…", (int)n, text) : text;
}

void put_node_status(struct ctx *c, struct json *row, const struct node *n)
{
    bool there = !n->archived_at.us && !n->forgotten_at.us && !str_eq(n->status, NODE_VERSION);

    put_badge(c, row, there ? "ok" : "off", n->status);
    json_set_bool(c->arena, row, "is_pinned", n->is_pinned);
    json_set_bool(c->arena, row, "is_out", !there);
}

static const struct space *space_of(const struct page *spaces, struct uuid id)
{
    const struct space *s = spaces->items;

    for (size_t i = 0; i < spaces->n; i++)
        if (uuid_eq(s[i].id, id))
            return &s[i];
    return NULL;
}

static void put_node(struct ctx *c, struct json *row, const struct node *n, const struct page *spaces, const struct names *names)
{
    const struct space *s = space_of(spaces, n->space_id);
    const char *author = names_find(names, n->author_id);

    put_id(c, row, "id", n->id);
    json_set_str(c->arena, row, "name", node_name(c, n->title, n->kind));
    json_set_str(c->arena, row, "text", nodes_page_preview(c, n->excerpt));
    json_set_str(c->arena, row, "kind", n->kind);
    put_node_status(c, row, n);
    put_id(c, row, "space_id", n->space_id);
    json_set_str(c->arena, row, "space", s ? s->name : arena_printf(c->arena, "%.8s…", UUID_STR(n->space_id)));
    json_set_str(c->arena, row, "author", author ? author : n->author_kind);
    json_set_str(c->arena, row, "importance", arena_printf(c->arena, "%.2f", n->importance_score));
    json_set_str(c->arena, row, "access_count", model_count(c->arena, n->access_count));
    put_time(c, row, "updated_at", n->updated_at);
    json_set_bool(c->arena, row, "may_restore", n->forgotten_at.us && page_may(c, PERM_MEMORY_WRITE) && !node_kind_has(n->kind, KIND_OWN));
}

/* ---- the filter */

static void nodes_page_add_kinds(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "kinds");
    const char *shown = page_query(p, "kind");
    const struct node_kind *k;

    add_choice(c, list, "", "any", !shown);
    for (size_t i = 0; (k = node_kind_at(i)); i++)
        add_choice(c, list, k->name, k->name, str_eq(k->name, shown));
}

static void add_statuses(struct ctx *c, struct page_call *p)
{
    static const char *const WORDS[][2] = {{"", "active"}, {"all", "active and archived"}, {NODE_ARCHIVED, "archived"},
                                           {NODE_FORGOTTEN, "forgotten"}};
    struct json *list = put_list(c, p->model, "statuses");
    const char *shown = page_query(p, "status");

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        add_choice(c, list, WORDS[i][0], WORDS[i][1], str_eq(WORDS[i][0], shown ? shown : ""));
}

/* Those that one may write to stand first in the form that remembers: the account's own namespace before all. */
static bool is_chosen(const struct page_call *p, const struct space *s)
{
    const char *posted = page_form(p, "space_id");

    return posted ? str_eq(posted, UUID_STR(s->id)) : s->kind == SPACE_NAMESPACE && str_eq(s->slug, "global");
}

static void nodes_page_add_spaces(struct ctx *c, struct page_call *p, const struct page *spaces)
{
    struct json *list = put_list(c, p->model, "spaces"), *places = put_list(c, p->model, "places");
    const struct space *s = spaces->items;
    const char *shown = page_query(p, "space");

    add_choice(c, list, "", "any", !shown);
    for (size_t i = 0; i < spaces->n; i++) {
        const char *id = uuid_text(s[i].id, arena_alloc(c->arena, UUID_TEXT));

        add_choice(c, list, id, s[i].name, str_eq(id, shown));
        if (access_may_write(c, s[i].id))
            add_choice(c, places, id, s[i].name, is_chosen(p, &s[i]));
    }
    json_set_bool(c->arena, p->model, "may_remember", places->first && page_may(c, PERM_MEMORY_WRITE));
}

static struct node_filter nodes_page_read_filter(const struct page_call *p)
{
    const char *status = page_query(p, "status"), *space = page_query(p, "space");
    struct node_filter f = {.kind = page_query(p, "kind"), .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT,
                            .cursor = page_query(p, "cursor"), .include_archived = str_eq(status, "all")};

    if (str_eq(status, NODE_ARCHIVED) || str_eq(status, NODE_FORGOTTEN))
        f.status = status;
    if (space)
        (void)!uuid_parse(space, &f.space_id);
    return f;
}

/* The filter in the words of the operation. */
static const struct json *nodes_page_in_api_words(struct ctx *c, const struct node_filter *f)
{
    struct json *asked = json_obj(c->arena);

    if (f->q)
        json_set_str(c->arena, asked, "q", f->q);
    if (f->kind)
        json_set_str(c->arena, asked, "kind", f->kind);
    if (!uuid_is_nil(f->space_id))
        put_id(c, asked, "space_id", f->space_id);
    if (f->status)
        json_set_str(c->arena, asked, "status", f->status);
    if (f->include_archived)
        json_set_bool(c->arena, asked, "include_archived", true);
    return asked;
}

static void add_new_kinds(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "new_kinds");
    const char *shown = chosen(p, "kind", "note");
    const struct node_kind *k;

    for (size_t i = 0; (k = node_kind_at(i)); i++)
        if (k->flags & KIND_GENERIC)
            add_choice(c, list, k->name, k->name, str_eq(k->name, shown));
}

static err nodes_page(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "nodes");
    struct node_filter f = nodes_page_read_filter(p);
    struct page page, spaces;
    const struct node *n;
    struct names *names;

    p->asked = nodes_page_in_api_words(c, &f);
    TRY(node_list(c, &f, &page));
    TRY(space_list(c, &(struct space_filter){.kind = -1, .status = -1, .limit = LIMIT_PAGE}, &spaces));
    TRY(names_load(c, &names));
    n = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_node(c, add_row(c, list), &n[i], &spaces, names);
    put_listing(c, p, "/admin/nodes", &page);
    nodes_page_add_kinds(c, p);
    add_statuses(c, p);
    nodes_page_add_spaces(c, p, &spaces);
    add_new_kinds(c, p);
    json_set_bool(c->arena, p->model, "is_filtered", f.q || f.kind || f.status || !uuid_is_nil(f.space_id));
    json_set_bool(c->arena, p->model, "is_forgotten", str_eq(f.status, NODE_FORGOTTEN));
    json_set_bool(c->arena, p->model, "form_open", p->is_again || page_query(p, "new"));
    put_undo(c, p);
    return page_show(p, "nodes");
}

/* ---- remembering */

static err remember(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r = {0};

    if (page_form(p, "body"))
        json_set_str(c->arena, extra, "body", form_text(c, p, "body"));
    TRY(page_run(c, p, "node.create", extra, &r));
    if (r.was_there)
        page_say(c, p, "info", "Already remembered here, in the same words: nothing was added.");
    else
        page_say(c, p, "ok", "Saved. Use Test recall to see how it is found.");
    return page_go(c, p, "/admin/nodes/%s", UUID_STR(r.id));
}

const struct page_row nodes_pages[] = {
    {.method = "GET", .path = "/admin/nodes", .name = "page.nodes", .op = "node.list", .perm = PERM_MEMORY_READ, .run = nodes_page,
     .nav = {.label = "Memories", .icon = "nodes", .key = "n", .also = {"/admin/erasures"}}},
    {.method = "POST", .path = "/admin/nodes", .name = "page.nodes.remember", .perm = PERM_MEMORY_WRITE, .run = remember,
     .again = nodes_page},
    {0},
};
