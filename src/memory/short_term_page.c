/* What an agent keeps for minutes and hours: working and short-term memory with the time they have left, seen without using them. */
#include "memory_page.h"

#include <string.h>

#include "agent.h"
#include "limit.h"
#include "live_search.h"
#include "model.h"
#include "short_term.h"

#define WORKING_SHOWN 200            /* keys of working memory */

/* How far it is on its way to long-term memory; NULL: it is on none. */
static struct json *promotion(struct ctx *c, const struct short_term *s)
{
    static const char *const KINDS[] = {NULL, "info", "ok", "off", "bad"};

    return s->promote_state == PROMOTE_NONE ? json_new(c->arena, JSON_NULL)
        : model_badge(c->arena, KINDS[s->promote_state], enumx_name(&promote_state_enumx, (int)s->promote_state));
}

static void put_row(struct ctx *c, struct json *row, const struct short_term *s)
{
    struct json *tags = put_list(c, row, "tags");

    put_id(c, row, "id", s->id);
    json_set_str(c->arena, row, "key", s->memory_key);
    json_set_str(c->arena, row, "session", str_eq(s->session_id, SHORT_TERM_SESSION) ? NULL : s->session_id);
    json_set_str(c->arena, row, "session_id", s->session_id);
    json_set_str(c->arena, row, "type", enumx_name(&short_term_type_enumx, (int)s->memory_type));
    json_set_str(c->arena, row, "text", value_preview(c, s->memory_value));
    put_value(c, row, s->memory_value);
    for (size_t i = 0; i < s->tags.n; i++)
        json_push(tags, json_str(c->arena, s->tags.v[i]));
    json_set_str(c->arena, row, "uses", model_count(c->arena, s->access_count));
    json_set(c->arena, row, "promotion", promotion(c, s));
    json_set_str(c->arena, row, "error", s->promote_error);
    put_time(c, row, "expires_at", s->expires_at);
    put_time(c, row, "updated_at", s->updated_at);
}

/* Without the agent, which the page is about anyway. */
static const char *scope_words(const char *scope)
{
    const char *rest = strchr(scope + 2, ':');       /* behind a:<agent> */

    return rest ? rest + 1 : NULL;
}

static err add_working(struct ctx *c, struct page_call *p, struct uuid agent)
{
    struct live_key *keys;
    struct json *list;
    size_t n;
    err e = live_working(c, agent, &keys, &n);

    json_set_bool(c->arena, p->model, "working_away", e == ERR_UNAVAILABLE);
    list = put_list(c, p->model, "working");
    if (e == ERR_UNAVAILABLE) {
        ctx_forgive(c);
        return ERR_OK;
    }
    TRY(e);
    for (size_t i = 0; i < n && i < WORKING_SHOWN; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "key", keys[i].key);
        json_set_str(c->arena, row, "scope", scope_words(keys[i].scope));
        json_set_str(c->arena, row, "text", value_preview(c, json_str(c->arena, keys[i].value)));
        json_set_str(c->arena, row, "value", keys[i].value);
        put_time(c, row, "expires_at", keys[i].expires_at);
    }
    json_set_str(c->arena, p->model, "working_more", n > WORKING_SHOWN ? model_count(c->arena, (int64_t)n - WORKING_SHOWN) : NULL);
    return ERR_OK;
}

static err short_term_page(struct ctx *c, struct page_call *p)
{
    struct json *list = put_list(c, p->model, "rows"), *m;
    struct short_term_filter f = {.type = query_enum(p, "type", &short_term_type_enumx), .session_id = page_query(p, "session"),
                                  .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    const struct short_term *s;
    struct agent a;
    struct page page;

    TRY(page_id(c, p, 0, &f.agent_id));
    TRY(agent_get(c, f.agent_id, &a));
    TRY(short_term_list(c, &f, &page));
    m = json_set(c->arena, p->model, "agent", json_obj(c->arena));
    put_id(c, m, "id", a.id);
    json_set_str(c->arena, m, "name", a.name);
    s = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_row(c, add_row(c, list), &s[i]);
    json_set(c->arena, p->model, "types", enum_choices(c, &short_term_type_enumx, "any", page_query(p, "type")));
    json_set_str(c->arena, p->model, "session_filter", f.session_id);
    json_set_bool(c->arena, p->model, "may_write", page_may(c, PERM_MEMORY_WRITE));
    put_listing(c, p, arena_printf(c->arena, "/admin/agents/%s/memory", UUID_STR(a.id)), &page);
    TRY(add_working(c, p, a.id));
    return page_show(p, "short_term");
}

static err refresh(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    const char *agent, *row;

    TRY(memory_page_ref(c, p, 0, &agent));
    TRY(memory_page_ref(c, p, 1, &row));
    json_set_str(c->arena, extra, "agent_id", agent);
    json_set_str(c->arena, extra, "id", row);
    TRY(page_run(c, p, "short_term.refresh", extra, NULL));
    page_say(c, p, "ok", "Its time to live has begun anew.");
    return page_go(c, p, "/admin/agents/%s/memory", agent);
}

static err forget(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    const char *agent;

    TRY(memory_page_ref(c, p, 0, &agent));
    json_set_str(c->arena, extra, "agent_id", agent);
    json_set_str(c->arena, extra, "tier", "short_term");
    TRY(page_run(c, p, "tiered.delete", extra, NULL));
    page_say(c, p, "ok", "It is gone from short-term memory.");
    return page_go(c, p, "/admin/agents/%s/memory", agent);
}

#define AT "/admin/agents/:id/memory"

const struct page_row short_term_pages[] = {
    {.method = "GET", .path = AT, .name = "page.short_term", .perm = PERM_MEMORY_READ, .run = short_term_page},
    {.method = "POST", .path = AT "/forget", .name = "page.short_term.forget", .perm = PERM_MEMORY_WRITE, .run = forget,
     .again = short_term_page},
    {.method = "POST", .path = AT "/:row/refresh", .name = "page.short_term.refresh", .perm = PERM_MEMORY_WRITE, .run = refresh,
     .again = short_term_page},
    {0},
};
