/* Entries in lists of pages, and the search for them; see memory_html.h. */
#include "memory_html.h"

#include <string.h>

#include "entry_search.h"
#include "limit.h"
#include "model.h"

void put_entry(struct ctx *c, struct json *row, const struct entry *e)
{
    struct json *tags = put_list(c, row, "tags");

    put_id(c, row, "id", e->id);
    put_id(c, row, "context_id", e->context_id);
    json_set_str(c->arena, row, "entry_key", e->entry_key);
    json_set_str(c->arena, row, "entry_type", enumx_name(&entry_type_enumx, (int)e->entry_type));
    json_set_str(c->arena, row, "memory_type", enumx_name(&memory_type_enumx, (int)e->memory_type));
    json_set_str(c->arena, row, "text", value_preview(c, json_str(c->arena, e->content_text)));
    for (size_t i = 0; i < e->context_tags.n; i++)
        json_push(tags, json_str(c->arena, e->context_tags.v[i]));
    json_set_str(c->arena, row, "importance", arena_printf(c->arena, "%.2f", e->importance_score));
    json_set_str(c->arena, row, "access_count", model_count(c->arena, e->access_count));
    json_set_int(c->arena, row, "version", e->version);
    json_set_bool(c->arena, row, "is_pinned", e->is_pinned);
    json_set_bool(c->arena, row, "is_archived", e->archived_at.us != 0);
    put_time(c, row, "updated_at", e->updated_at);
    put_time(c, row, "expires_at", e->expires_at);
}

static err entry_page_search(struct ctx *c, struct page_call *p, const char *context, struct entry_hits *out)
{
    struct entry_search ask = {.context = context, .query = page_query(p, "find"), .peek = true, .limit = LIMIT_PAGE_DEFAULT};
    int how = query_enum(p, "how", &search_type_enumx);

    if (strlen(ask.query) > str_first_bytes(ask.query, ENTRY_QUERY))
        return fail_field(c, "/find", "a query can have at most %d characters", ENTRY_QUERY);
    ask.search_type = how < 0 ? SEARCH_HYBRID : (enum search_type)how;
    return entry_search(c, &ask, out);
}

static void put_hits(struct ctx *c, struct json *found, const struct entry_hits *hits)
{
    const struct entry_hit *h = hits->hits.v;
    struct json *list = put_list(c, found, "rows"), *degraded = put_list(c, found, "degraded");

    for (size_t i = 0; i < hits->hits.n; i++) {
        struct json *row = add_row(c, list);

        put_entry(c, row, h[i].entry);
        json_set_str(c->arena, row, "score", arena_printf(c->arena, "%.2f", h[i].score));
        json_set_str(c->arena, row, "similarity", h[i].similarity < 0 ? NULL : arena_printf(c->arena, "%.2f", h[i].similarity));
    }
    for (size_t i = 0; i < hits->degraded.n; i++)
        json_push(degraded, json_str(c->arena, hits->degraded.v[i]));
    json_set_str(c->arena, found, "n", model_count(c->arena, (int64_t)hits->hits.n));
    json_set_bool(c->arena, found, "is_one", hits->hits.n == 1);
    json_set_bool(c->arena, found, "of_hits", true);
    json_set_bool(c->arena, found, "may_archive", false);
}

err put_found(struct ctx *c, struct page_call *p, const char *context)
{
    struct entry_hits hits;

    json_set_str(c->arena, p->model, "find", page_query(p, "find"));
    json_set(c->arena, p->model, "hows", enum_choices(c, &search_type_enumx, NULL, page_query(p, "how")));
    if (!page_query(p, "find"))
        return ERR_OK;
    TRY(entry_page_search(c, p, context, &hits));
    put_hits(c, json_set(c->arena, p->model, "found", json_obj(c->arena)), &hits);
    return ERR_OK;
}
