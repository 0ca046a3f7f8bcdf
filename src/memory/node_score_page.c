/* The curve of a node's importance; see node_score_page.h. */
#include "node_score_page.h"

#include <math.h>
#include <string.h>

#include "chart.h"
#include "limit.h"
#include "model.h"
#include "parts_page.h"

#define POINTS 25                 /* the one in the middle is now */
#define SHORTEST_US (14 * DAY_US) /* on either side of now, so that there is something to see */

/* The state that was true at t: of all that are known, the last that had settled by then. */
static const struct node *state_at(const struct node *head, const struct node *old, size_t n, struct instant t)
{
    const struct node *best = head->decayed_at.us <= t.us ? head : NULL;

    for (size_t i = 0; i < n && !best; i++) /* newest first */
        if (old[i].decayed_at.us <= t.us)
            best = &old[i];
    return best;
}

static double value_at(const struct node *head, const struct node *old, size_t n, struct instant t)
{
    const struct node *state = t.us < head->created_at.us ? NULL : state_at(head, old, n, t);
    struct lifecycle l;

    if (!state)
        return NAN;
    l = node_lifecycle(state);
    return lifecycle_round(lifecycle_now(&l, t));
}

static const char *day_of(struct ctx *c, struct instant t, struct instant now)
{
    const char *text;

    if (t.us == now.us)
        return "now";
    text = json_get_str(model_time(c->arena, t, now), "text");
    return arena_strndup(c->arena, text, strcspn(text, ","));
}

err put_score(struct ctx *c, struct page_call *p, const struct node *n)
{
    double *was = ARENA_ARRAY(c->arena, double, POINTS), *will = ARENA_ARRAY(c->arena, double, POINTS);
    const char **x = ARENA_ARRAY(c->arena, const char *, POINTS);
    int64_t age = c->now.us - n->created_at.us, span = age > SHORTEST_US ? age : SHORTEST_US;
    struct page page;
    int middle = POINTS / 2;

    TRY(node_versions(c, n->id, false, LIMIT_NODE_VERSIONS, NULL, &page));
    for (int i = 0; i < POINTS; i++) {
        struct instant t = {c->now.us + span / middle * (i - middle)};
        double v = value_at(n, page.items, page.n, t);

        was[i] = i <= middle ? v : NAN;
        will[i] = i >= middle ? v : NAN;
        x[i] = day_of(c, t, c->now);
    }
    json_set(c->arena, p->model, "score", model_chart(c->arena, &(struct chart){
        .id = "score", .label = "Importance over time: past, and forecast without use", .x_name = "Day", .x = x,
        .n = POINTS, .series = {{"until now", was}, {"from now, unused", will}}, .n_series = 2, .top = 1, .digits = 3, .now = middle}));
    return ERR_OK;
}
