/* The page Memory: what is kept how long and where it is seen, the search through entries, and the contexts that hold them. */
#include "context_html.h"

#include "figures.h"
#include "limit.h"
#include "memory_stats.h"
#include "node.h"

/* ---- the tiers */

static void contexts_page_put_tier(struct ctx *c, struct json *out, const char *name, const struct memory_tier_stats *t)
{
    struct json *m = json_set(c->arena, out, name, json_new(c->arena, t ? JSON_OBJ : JSON_NULL));

    if (!t)
        return;
    json_set_int(c->arena, m, "count", t->count);
    json_set_int(c->arena, m, "bytes", t->bytes);
}

static err contexts_page_count_tiers(struct ctx *c, struct json *out)
{
    struct memory_stats s;

    TRY(memory_stats(c, (struct uuid){0}, &s));
    contexts_page_put_tier(c, out, "working", s.working_memory);
    contexts_page_put_tier(c, out, "short_term", s.short_term);
    contexts_page_put_tier(c, out, "long_term", s.long_term);
    contexts_page_put_tier(c, out, "shared", s.shared);
    return ERR_OK;
}

/* The counts are for who manages memory: they are of the whole account. */
static err contexts_page_add_tiers(struct ctx *c, struct page_call *p)
{
    static const struct { const char *member, *name, *lives, *what, *href; } TIERS[] = {
        {"working", "Working", "minutes, at most a day", "State of the current task of an agent.", "/admin/memory/working"},
        {"short_term", "Short-term", "hours, at most a week", "Notes of a session. Notes read three times are promoted to long-term memory.", "/admin/memory/working"},
        {"long_term", "Long-term", "permanent, while used", "Entries in contexts: facts, observations, decisions, summaries.", "#contexts"},
        {"shared", "Shared", "permanent, within limits", "Shared between agents: pools, learnings, shared knowledge.", "/admin/pools"},
    };
    bool counts = page_may(c, PERM_MEMORY_MANAGE);
    struct json *list = put_list(c, p->model, "tiers");
    const struct json *figures = NULL;

    if (counts)
        TRY(figures_of(c, "page.memory.tiers", contexts_page_count_tiers, &figures));
    for (size_t i = 0; i < sizeof TIERS / sizeof *TIERS; i++) {
        const struct json *tier = figures ? json_get(figures, TIERS[i].member) : NULL;
        bool known = json_is(tier, JSON_OBJ);
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "name", TIERS[i].name);
        json_set_str(c->arena, row, "lives", TIERS[i].lives);
        json_set_str(c->arena, row, "what", TIERS[i].what);
        json_set_str(c->arena, row, "href", TIERS[i].href);
        json_set_str(c->arena, row, "count", known ? model_count(c->arena, json_get_int(tier, "count", 0)) : NULL);
        json_set_str(c->arena, row, "bytes", known ? model_bytes(c->arena, json_get_int(tier, "bytes", 0)) : NULL);
        json_set_bool(c->arena, row, "is_away", counts && !known);
    }
    return ERR_OK;
}

static err contexts_page_count_kinds(struct ctx *c, struct json *out)
{
    struct json *list = put_list(c, out, "kinds");
    const struct node_count *kinds;
    struct node_stats s;

    TRY(node_stats(c, &s));
    kinds = s.kinds.v;
    for (size_t i = 0; i < s.kinds.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "kind", kinds[i].kind);
        json_set_int(c->arena, row, "n", kinds[i].n - kinds[i].archived);
    }
    return ERR_OK;
}

static err contexts_page_add_kinds(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "kinds");
    const struct json *figures, *kinds;

    if (!page_may(c, PERM_MEMORY_READ))
        return ERR_OK;
    TRY(figures_of(c, "page.memory.kinds", contexts_page_count_kinds, &figures));
    kinds = json_get(figures, "kinds");
    for (const struct json *k = kinds ? kinds->first : NULL; k; k = k->next) {
        struct json *row = add_row(c, list), *query = json_obj(c->arena);

        json_set_str(c->arena, query, "kind", json_get_str(k, "kind"));
        json_set_str(c->arena, row, "kind", json_get_str(k, "kind"));
        json_set_str(c->arena, row, "href", model_href(c->arena, "/admin/nodes", query));
        json_set_str(c->arena, row, "n", model_count(c->arena, json_get_int(k, "n", 0)));
    }
    return ERR_OK;
}

/* ---- contexts */

static err add_new_form(struct ctx *c, struct page_call *p)
{
    const char *type = chosen(p, "context_type", NULL), *scope = chosen(p, "scope", NULL);

    json_set(c->arena, p->model, "new_types", enum_choices(c, &context_type_enumx, NULL, type));
    json_set(c->arena, p->model, "new_scopes", enum_choices(c, &context_scope_enumx, NULL, scope));
    json_set_bool(c->arena, p->model, "may_create", page_may(c, PERM_CONTEXT_CREATE));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return put_owners(c, p, "agent_id");
}

static err add_contexts(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "contexts");
    const struct context *x;
    struct names *names;
    struct page page;

    TRY(context_list(c, &(struct context_filter){.type = query_enum(p, "type", &context_type_enumx),
                                                 .scope = query_enum(p, "scope", &context_scope_enumx),
                                                 .q = page_query(p, "q"), .include_archived = page_query(p, "archived") != NULL,
                                                 .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")}, &page));
    TRY(names_load(c, &names));
    x = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_context(c, add_row(c, list), &x[i], names);
    put_listing(c, p, "/admin/memory", &page);
    return ERR_OK;
}

static err contexts(struct ctx *c, struct page_call *p)
{
    TRY(add_contexts(c, p));
    json_set(c->arena, p->model, "types", enum_choices(c, &context_type_enumx, "any", page_query(p, "type")));
    json_set(c->arena, p->model, "scopes", enum_choices(c, &context_scope_enumx, "any", page_query(p, "scope")));
    json_set_bool(c->arena, p->model, "archived", page_query(p, "archived") != NULL);
    put_memory_tabs(c, p, "start");
    put_undo(c, p);
    TRY(contexts_page_add_tiers(c, p));
    TRY(contexts_page_add_kinds(c, p));
    TRY(put_found(c, p, NULL));
    TRY(add_new_form(c, p));
    return page_show(p, "contexts");
}

static err contexts_page_create(struct ctx *c, struct page_call *p)
{
    struct call_result r;

    TRY(page_run(c, p, "context.create", NULL, &r));
    page_say(c, p, "ok", "Context created. Write its first entry below.");
    return page_go(c, p, "/admin/memory/%s", UUID_STR(r.id));
}

const struct page_row contexts_pages[] = {
    {.method = "GET", .path = "/admin/memory", .name = "page.contexts", .op = "context.list", .perm = PERM_CONTEXT_READ, .run = contexts,
     .nav = {.label = "Contexts", .icon = "memory", .key = "m", .also = {"/admin/junk", "/admin/duplicates"}}},
    {.method = "POST", .path = "/admin/memory", .name = "page.context.create", .perm = PERM_CONTEXT_CREATE, .run = contexts_page_create, .again = contexts},
    {0},
};
