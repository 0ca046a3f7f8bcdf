/* Understanding the query: soft routes, the span of time it speaks of, names, and what it is expanded by; see route.h,
 * dates.h, graph_gate.h, expand.h. */
#include <string.h>

#include "dates.h"
#include "expand.h"
#include "graph_gate.h"
#include "recall_impl.h"
#include "time_window.h"

static const struct gate_options GATE = GATE_DEFAULTS;

static void explain_routes(struct recall *r, struct json *o)
{
    struct arena *a = r->c->arena;
    struct json *routes = json_set(a, o, "routes", json_obj(a));

    for (int i = 0; i < ROUTES; i++)
        json_set(a, routes, route_name((enum route)i), json_num(a, r->understood.route[i]));
}

static void explain_window(struct recall *r, struct json *o)
{
    struct arena *a = r->c->arena;
    const struct understood *u = &r->understood;
    struct json *window;
    char text[INSTANT_TEXT];

    if (!u->has_window)
        return;
    window = json_set(a, o, "window", json_obj(a));
    if (u->window_from)
        json_set_str(a, window, "from", arena_strdup(a, instant_text((struct instant){u->window_from}, text)));
    if (u->window_to)
        json_set_str(a, window, "to", arena_strdup(a, instant_text((struct instant){u->window_to}, text)));
    json_set_str(a, window, "use", enumx_name(&recall_temporal_enumx, (int)r->in->temporal));
}

static void explain_names(struct recall *r, struct json *o)
{
    struct arena *a = r->c->arena;
    struct json *names = json_set(a, o, "names", json_arr(a));

    for (size_t i = 0; i < r->understood.gate.n; i++) {
        struct json *name = json_obj(a);

        json_set_str(a, name, "name", r->understood.gate.names[i].name);
        json_set_int(a, name, "texts", r->understood.gate.names[i].df);
        json_push(names, name);
    }
}

static void understand_explain(struct recall *r)
{
    struct json *o;

    if (!r->in->explain)
        return;
    o = json_obj(r->c->arena);
    explain_routes(r, o);
    json_set(r->c->arena, o, "recency", json_num(r->c->arena, r->understood.recency));
    explain_window(r, o);
    explain_names(r, o);
    if (r->in->expand == EXPAND_HYDE)
        expand_explain(r, o);
    r->understood.explain = o;
}

static err find_window(struct recall *r)
{
    struct understood *u = &r->understood;
    struct time_span span;
    struct zone zone;

    if (!zone_find(r->c->arena, r->in->tz, &zone))
        return fail_field(r->c, "/tz", "must be a time zone such as Europe/Vienna or an offset such as +02:00");
    if (r->in->temporal == TEMPORAL_OFF || !r->is_query || !dates_find(r->text, r->c->now.us, &zone, &span))
        return ERR_OK;
    u->has_window = true;
    u->window_from = span.from;
    u->window_to = span.to;
    if (r->in->temporal == TEMPORAL_FILTER)
        window_filter(r->c->arena, r->index, &span, &r->filter);
    return ERR_OK;
}

err stage_understand(struct recall *r)
{
    struct understood *u = &r->understood;

    TRY(find_window(r));
    graph_gate(r->c->arena, r->index, &r->counts, r->text, &GATE, &u->gate);
    route_query(r->text, u->has_window, (unsigned)u->gate.n, u->route);
    u->recency = route_recency(r->text);
    if (r->in->expand == EXPAND_HYDE)
        expand_query(r);
    understand_explain(r);
    return ERR_OK;
}
