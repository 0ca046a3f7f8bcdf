/* What an agent keeps for minutes and hours: working and short-term memory with the time they have left, seen without using them. */
#include "memory_html.h"

#include <string.h>

#include "agent.h"
#include "limit.h"
#include "live_search.h"
#include "memory_stats.h"
#include "model.h"
#include "short_term.h"
#include "working.h"

#define WORKING_SHOWN 200 /* keys of working memory */
#define AT "/admin/agents/:id/memory"

/* ---- short-term memory */

/* How far it is on its way to long-term memory; NULL: it is on none. */
static struct json *promotion(struct ctx *c, const struct short_term *s)
{
    static const char *const KINDS[] = {NULL, "info", "ok", "off", "bad"};

    return s->promote_state == PROMOTE_NONE ? json_new(c->arena, JSON_NULL)
        : model_badge(c->arena, KINDS[s->promote_state], enumx_name(&promote_state_enumx, (int)s->promote_state));
}

/* How much of its time is left, 0 to 1. */
static const char *time_left(struct ctx *c, const struct short_term *s)
{
    double left = (double)(s->expires_at.us - c->now.us) / ((double)s->ttl_seconds * SECOND_US);

    return arena_printf(c->arena, "%.3f", left < 0 ? 0 : left > 1 ? 1 : left);
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
    put_id(c, row, "became", s->promoted_node_id);
    json_set_str(c->arena, row, "error", s->promote_error);
    json_set_str(c->arena, row, "left", time_left(c, s));
    put_time(c, row, "expires_at", s->expires_at);
    put_time(c, row, "updated_at", s->updated_at);
}

static err add_sessions(struct ctx *c, struct page_call *p, const struct agent *a)
{
    struct json *list = put_list(c, p->model, "sessions");
    struct short_term_count *rows;
    size_t n;

    TRY(short_term_sessions(c, a->id, &rows, &n));
    for (size_t i = 0; i < n; i++) {
        struct json *row = add_row(c, list), *query = json_obj(c->arena);

        json_set_str(c->arena, query, "session", rows[i].session_id);
        json_set_str(c->arena, row, "name", rows[i].session_id);
        json_set_str(c->arena, row, "href", model_href(c->arena, arena_printf(c->arena, "/admin/agents/%s/memory", UUID_STR(a->id)),
                                                       query));
        json_set_str(c->arena, row, "rows", model_count(c->arena, rows[i].rows));
        put_time(c, row, "next_expiry", rows[i].next_expiry);
    }
    return ERR_OK;
}

static err short_term_page_add_rows(struct ctx *c, struct page_call *p, const struct agent *a)
{
    struct short_term_filter f = {.agent_id = a->id, .type = query_enum(p, "type", &short_term_type_enumx), .session_id = page_query(p, "session"),
                                  .q = page_query(p, "q"), .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct json *list = put_list(c, p->model, "rows");
    const struct short_term *s;
    struct page page;

    TRY(short_term_list(c, &f, &page));
    s = page.items;
    for (size_t i = 0; i < page.n; i++)
        put_row(c, add_row(c, list), &s[i]);
    json_set(c->arena, p->model, "types", enum_choices(c, &short_term_type_enumx, "any", page_query(p, "type")));
    json_set_str(c->arena, p->model, "session_filter", f.session_id);
    put_listing(c, p, arena_printf(c->arena, "/admin/agents/%s/memory", UUID_STR(a->id)), &page);
    return ERR_OK;
}

/* ---- working memory */

/* Without the agent, which the page is about anyway. */
static void put_scope(struct ctx *c, struct json *row, const char *text)
{
    struct working_scope s = {0};
    const char *name = NULL;

    if (!working_scope_read(c->arena, text, &s))
        s = (struct working_scope){0};
    for (int i = 0; i < 3; i++) {
        static const char *const WORDS[][2] = {{"session", "session_id"}, {"run", "run_id"}, {"task", "task_id"}};
        const char *id = i == 0 ? s.session_id : i == 1 ? s.run_id : s.task_id;

        json_set_str(c->arena, row, WORDS[i][1], id);
        if (id)
            name = arena_printf(c->arena, "%s%s%s %s", name ? name : "", name ? ", " : "", WORDS[i][0], id);
    }
    json_set_str(c->arena, row, "name", name);
}

static void put_key(struct ctx *c, struct json *row, const struct live_key *k)
{
    json_set_str(c->arena, row, "key", k->key);
    json_set_str(c->arena, row, "text", value_preview(c, json_str(c->arena, k->value)));
    json_set_str(c->arena, row, "value", k->value);
    put_time(c, row, "expires_at", k->expires_at);
}

/* One list for each scope: what is forgotten or kept at once belongs together. */
static err add_working(struct ctx *c, struct page_call *p, struct uuid agent)
{
    struct json *scopes = put_list(c, p->model, "scopes"), *keys = NULL;
    const char *scope = "";
    struct live_key *k;
    size_t n;
    err e = live_working(c, agent, &k, &n);

    json_set_bool(c->arena, p->model, "working_away", e == ERR_UNAVAILABLE);
    if (e == ERR_UNAVAILABLE) {
        ctx_forgive(c);
        return ERR_OK;
    }
    TRY(e);
    for (size_t i = 0; i < n && i < WORKING_SHOWN; i++) {
        if (!keys || !str_eq(scope, k[i].scope)) {
            struct json *row = add_row(c, scopes);

            put_scope(c, row, scope = k[i].scope);
            keys = put_list(c, row, "keys");
        }
        put_key(c, add_row(c, keys), &k[i]);
    }
    json_set_str(c->arena, p->model, "working_more", n > WORKING_SHOWN ? model_count(c->arena, (int64_t)n - WORKING_SHOWN) : NULL);
    return ERR_OK;
}

/* ---- the page */

static void short_term_page_put_tier(struct ctx *c, struct json *list, const char *name, const struct memory_tier_stats *t,
                                     const char *href)
{
    struct json *row = add_row(c, list);

    json_set_str(c->arena, row, "name", name);
    json_set_str(c->arena, row, "count", t ? model_count(c->arena, t->count) : NULL);
    json_set_str(c->arena, row, "href", href);
}

static err short_term_page_add_tiers(struct ctx *c, struct page_call *p, struct uuid agent)
{
    struct json *list = put_list(c, p->model, "tiers");
    struct memory_stats s;

    TRY(memory_stats(c, agent, &s));
    short_term_page_put_tier(c, list, "Working memory", s.working_memory, "#working");
    short_term_page_put_tier(c, list, "Short-term memory", s.short_term, "#short-term");
    short_term_page_put_tier(c, list, "Long-term memory", s.long_term, "/admin/memory");
    short_term_page_put_tier(c, list, "Shared with it", s.shared, "/admin/pools");
    return ERR_OK;
}

static err short_term_page(struct ctx *c, struct page_call *p)
{
    struct uuid id;
    struct agent a;
    struct json *m;

    TRY(page_id(c, p, 0, &id));
    TRY(agent_get(c, id, &a));
    TRY(short_term_page_add_rows(c, p, &a));
    TRY(add_sessions(c, p, &a));
    m = json_set(c->arena, p->model, "agent", json_obj(c->arena));
    put_id(c, m, "id", a.id);
    json_set_str(c->arena, m, "name", a.name);
    json_set_bool(c->arena, p->model, "may_write", page_may(c, PERM_MEMORY_WRITE));
    TRY(add_working(c, p, a.id));
    TRY(short_term_page_add_tiers(c, p, a.id));
    return page_show(p, "short_term");
}

/* ---- changes */

/* Runs the operation on the agent of the path. */
static err short_term_page_run_on(struct ctx *c, struct page_call *p, const char *op, struct json *extra, struct call_result *r)
{
    const char *agent;

    TRY(memory_page_ref(c, p, 0, &agent));
    json_set_str(c->arena, extra, "agent_id", agent);
    TRY(page_run(c, p, op, extra, r));
    return page_go(c, p, "/admin/agents/%s/memory", agent);
}

static err short_term_page_refresh(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    const char *row;

    TRY(memory_page_ref(c, p, 1, &row));
    json_set_str(c->arena, extra, "id", row);
    TRY(short_term_page_run_on(c, p, "short_term.refresh", extra, NULL));
    page_say(c, p, "ok", "Time to live renewed.");
    return ERR_OK;
}

static err short_term_page_forget(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);

    json_set_str(c->arena, extra, "tier", "short_term");
    TRY(short_term_page_run_on(c, p, "tiered.delete", extra, NULL));
    page_say(c, p, "ok", "Removed from short-term memory.");
    return ERR_OK;
}

static err short_term_page_promote(struct ctx *c, struct page_call *p)
{
    struct call_result r = {0};

    TRY(short_term_page_run_on(c, p, "tiered.consolidate", json_obj(c->arena), &r));
    page_say(c, p, "ok", "%s in long-term memory, %s known already, %s could not be promoted.",
             model_counted(c->arena, json_get_int(r.data, "promoted", 0), "became an entry", "became entries"),
             model_counted(c->arena, json_get_int(r.data, "duplicates", 0), "was", "were"),
             model_count(c->arena, json_get_int(r.data, "failed", 0)));
    return ERR_OK;
}

static err forget_working(struct ctx *c, struct page_call *p)
{
    TRY(short_term_page_run_on(c, p, "working.remove", json_obj(c->arena), NULL));
    page_say(c, p, "ok", "%s removed from working memory.", page_form(p, "key"));
    return ERR_OK;
}

/* The scope without session, run and task must be meant, which whoever sees it listed does. */
static err clear_working(struct ctx *c, struct page_call *p)
{
    struct json *extra = json_obj(c->arena);
    struct call_result r = {0};

    json_set_bool(c->arena, extra, "all", true);
    TRY(short_term_page_run_on(c, p, "working.clear", extra, &r));
    page_say(c, p, "ok", "%s removed from working memory.",
             model_counted(c->arena, json_get_int(r.data, "cleared", 0), "key", "keys"));
    return ERR_OK;
}

static err keep_working(struct ctx *c, struct page_call *p)
{
    struct call_result r = {0};

    TRY(short_term_page_run_on(c, p, "working.persist", json_obj(c->arena), &r));
    page_say(c, p, "ok", "%s saved to the agent's Working Memory context for a day, %s already there.",
             model_counted(c->arena, json_get_int(r.data, "persisted", 0), "key", "keys"),
             model_counted(c->arena, json_get_int(r.data, "unchanged", 0), "was", "were"));
    return ERR_OK;
}

#define POST(verb_, name_, run_) \
    {.method = "POST", .path = AT verb_, .name = "page.short_term." name_, .perm = PERM_MEMORY_WRITE, .run = (run_), .again = short_term_page}

const struct page_row short_term_pages[] = {
    {.method = "GET", .path = AT, .name = "page.short_term", .op = "short_term.list", .perm = PERM_MEMORY_READ, .run = short_term_page},
    POST("/forget", "forget", short_term_page_forget),
    POST("/promote", "promote", short_term_page_promote),
    POST("/working/forget", "working_forget", forget_working),
    POST("/working/clear", "working_clear", clear_working),
    POST("/working/keep", "working_keep", keep_working),
    POST("/:row/refresh", "refresh", short_term_page_refresh),
    {0},
};
