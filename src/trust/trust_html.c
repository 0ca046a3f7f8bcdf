/* The page of the trust in an agent: bars, tier, why not higher, what moved it; and what it knows and holds. */
#include "trust_html.h"

#include "model.h"
#include "parts_html.h"
#include "trust_view.h"

static const char *const SHADES[] = {[TRUST_SUPERVISED] = "warn", [TRUST_MONITORED] = "info",
                                     [TRUST_TRUSTED] = "ok", [TRUST_AUTONOMOUS] = "ok"};

static void trust_put_share(struct ctx *c, struct json *o, const char *name, double share)
{
    json_set_str(c->arena, o, name, arena_printf(c->arena, "%.2f", share));
}

static void trust_put_bars(struct ctx *c, struct json *m, const struct list *dimensions)
{
    struct json *rows = put_list(c, m, "dimensions");
    const struct trust_bar *v = dimensions->v;

    for (size_t i = 0; i < dimensions->n; i++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "name", enumx_name(&trust_dimension_enumx, (int)v[i].dimension));
        trust_put_share(c, row, "now", v[i].now);
        trust_put_share(c, row, "stored", v[i].stored);
    }
}

static double trust_overall_of(struct ctx *c, const struct json *state)
{
    const struct json *j = json_get(json_opened(c->arena, state), "overall");

    return j ? json_number(j) : 0;
}

static const char *trust_words(struct ctx *c, const char *name)
{
    char *words = arena_strdup(c->arena, name);

    for (char *s = words; *s; s++)
        *s = *s == '_' ? ' ' : *s;
    return words;
}

/* {"outcome":"failed","rating":4} as "outcome failed, rating 4" */
static const char *trust_inputs_text(struct ctx *c, const struct json *inputs)
{
    const struct json *o = json_opened(c->arena, inputs);
    struct buf b;

    buf_init(&b, c->arena, 64);
    for (const struct json *m = json_is(o, JSON_OBJ) ? o->first : NULL; m; m = m->next)
        buf_printf(&b, "%s%s %s", m == o->first ? "" : ", ", trust_words(c, m->key), json_is(m, JSON_STR) ? m->s : json_text(c->arena, m));
    return buf_str(&b);
}

static void trust_put_history(struct ctx *c, struct json *m, const struct list *history)
{
    struct json *rows = put_list(c, m, "history");
    const struct trust_event *e = history->v;

    for (size_t i = 0; i < history->n; i++) {
        struct json *row = add_row(c, rows);

        put_time(c, row, "at", e[i].at);
        json_set_str(c->arena, row, "kind", trust_words(c, e[i].kind));
        json_set_str(c->arena, row, "inputs", trust_inputs_text(c, e[i].inputs));
        trust_put_share(c, row, "before", trust_overall_of(c, e[i].before));
        trust_put_share(c, row, "after", trust_overall_of(c, e[i].after));
        json_set_str(c->arena, row, "tier", json_get_str(json_opened(c->arena, e[i].after), "tier"));
    }
}

static void trust_put_counts(struct ctx *c, struct json *m, const char *name, const struct list *counts)
{
    struct json *rows = put_list(c, m, name);
    const struct trust_count *v = counts->v;

    for (size_t i = 0; i < counts->n; i++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "what", v[i].what);
        json_set_str(c->arena, row, "words", trust_words(c, v[i].what));
        json_set_int(c->arena, row, "n", v[i].n);
    }
}

static void trust_put_overview(struct ctx *c, struct json *m, const struct trust_overview *o)
{
    struct json *rows = put_list(c, m, "spaces");
    const struct trust_space *v = o->spaces.v;

    trust_put_counts(c, m, "memories", &o->memories);
    put_time(c, m, "last_active_at", o->last_active_at);
    json_set_int(c->arena, m, "tokens", o->tokens);
    json_set_int(c->arena, m, "spaces_of_agent", o->spaces_of_agent);
    for (size_t i = 0; i < o->spaces.n; i++) {
        struct json *row = add_row(c, rows);

        put_id(c, row, "id", v[i].space_id);
        json_set_str(c->arena, row, "name", v[i].name);
        json_set_str(c->arena, row, "kind", v[i].kind);
        json_set_str(c->arena, row, "level", v[i].level);
    }
}

static void trust_put_goals(struct ctx *c, struct json *m, const struct list *goals)
{
    struct json *rows = put_list(c, m, "goals");
    const struct trust_goal *v = goals->v;

    for (size_t i = 0; i < goals->n; i++) {
        struct json *row = add_row(c, rows);

        put_id(c, row, "id", v[i].id);
        json_set_str(c->arena, row, "title", v[i].title);
        trust_put_share(c, row, "progress", v[i].progress);
    }
}

static void trust_put_tier(struct ctx *c, struct json *m, const struct trust_view *t)
{
    put_badge(c, m, SHADES[t->tier], enumx_name(&trust_tier_enumx, (int)t->tier));
    trust_put_share(c, m, "overall", t->overall);
    json_set_str(c->arena, m, "pinned_tier", t->pinned_tier);
    json_set_str(c->arena, m, "pin_reason", t->pin_reason);
    json_set_int(c->arena, m, "evaluations", t->evaluation_count);
    put_time(c, m, "last_evaluated_at", t->last_evaluated_at);
    put_time(c, m, "tier_since", t->tier_since);
    put_time(c, m, "last_demoted_at", t->last_demoted_at);
    put_time(c, m, "limited_at", t->limited_at);
}

static err trust_page(struct ctx *c, struct page_call *p)
{
    struct json *m = json_set(c->arena, p->model, "trust", json_obj(c->arena)), *why;
    struct trust_overview o;
    struct trust_view t;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(trust_view(c, id, &t));
    TRY(trust_overview(c, id, &o));
    put_id(c, m, "id", id);
    json_set_str(c->arena, m, "name", t.name);
    trust_put_tier(c, m, &t);
    why = put_list(c, m, "why");
    for (size_t i = 0; i < t.why_not_higher.n; i++)
        json_push(why, json_str(c->arena, t.why_not_higher.v[i]));
    trust_put_bars(c, m, &t.dimensions);
    trust_put_history(c, m, &t.history);
    trust_put_goals(c, m, &t.goals);
    trust_put_counts(c, m, "open_items", &t.open_items);
    trust_put_overview(c, m, &o);
    json_set(c->arena, p->model, "tiers", enum_choices(c, &trust_tier_enumx, "none", chosen(p, "tier", t.pinned_tier)));
    return page_show(p, "agent_trust");
}

const struct page_row trust_pages[] = {
    {.method = "GET", .path = "/admin/agents/:id/trust", .name = "page.trust", .op = "trust.get", .perm = PERM_OVERSIGHT_READ,
     .run = trust_page},
    {.method = "POST", .path = "/admin/agents/:id/trust/pin", .name = "page.trust.pin", .perm = PERM_OVERSIGHT_MANAGE, .does = "trust.pin",
     .said = "Saved.", .go = "/admin/agents/:id/trust", .again = trust_page},
    {.method = "POST", .path = "/admin/agents/:id/trust/emergency", .name = "page.trust.emergency", .perm = PERM_OVERSIGHT_MANAGE,
     .does = "trust.emergency", .said = "Stopped: its tokens may only read from now on.", .go = "/admin/agents/:id/trust",
     .again = trust_page},
    {.method = "POST", .path = "/admin/agents/:id/trust/lift", .name = "page.trust.lift", .perm = PERM_OVERSIGHT_MANAGE,
     .does = "trust.lift", .said = "Lifted: the agent may write again.", .go = "/admin/agents/:id/trust", .again = trust_page},
    {0},
};
