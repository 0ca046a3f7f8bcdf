/* Cycles among what skills need: strongly connected parts, by Tarjan, without recursion. */
#include <stdlib.h>
#include <string.h>

#include "skill_scan.h"

struct cycle_walk {
    struct skill_scan_work *w;
    size_t *first, *to, *edge; /* edges of skill i: to[first[i]] … */
    size_t *index, *low, *stack, *call, *next;
    bool *on_stack;
    size_t n_stack, n_call, count;
};

static size_t cycle_place(const struct skill_scan_work *w, struct uuid id)
{
    const struct skill_scanned *s = skill_scan_find(w, id);

    return s ? (size_t)(s - w->skills) : SIZE_MAX;
}

static bool cycle_counts(const struct skill_scan_edge *e)
{
    return str_eq(e->relation, "requires") || str_eq(e->relation, "DEPENDS_ON") || str_eq(e->relation, "composes");
}

static void cycle_lists(struct cycle_walk *t)
{
    const struct skill_scan_work *w = t->w;
    size_t *at = arena_array(w->c->arena, w->n_skills + 2, sizeof *at);

    for (size_t i = 0; i < w->n_edges; i++) {
        size_t from = cycle_counts(&w->edges[i]) ? cycle_place(w, w->edges[i].source_id) : SIZE_MAX;

        if (from != SIZE_MAX && cycle_place(w, w->edges[i].target_id) != SIZE_MAX)
            t->first[from + 1]++;
    }
    for (size_t i = 0; i < w->n_skills; i++)
        t->first[i + 1] += t->first[i];
    memcpy(at, t->first, (w->n_skills + 1) * sizeof *at);
    for (size_t i = 0; i < w->n_edges; i++) {
        size_t from = cycle_counts(&w->edges[i]) ? cycle_place(w, w->edges[i].source_id) : SIZE_MAX;
        size_t to = from == SIZE_MAX ? SIZE_MAX : cycle_place(w, w->edges[i].target_id);

        if (to != SIZE_MAX) {
            t->to[at[from]] = to;
            t->edge[at[from]++] = i;
        }
    }
}

/* One conflict for each part: of its first skill, with the weakest edge inside, which a repair would retire. */
static void cycle_found(struct cycle_walk *t, const size_t *part, size_t n)
{
    struct skill_scan_work *w = t->w;
    const struct skill_scan_edge *weakest = NULL;
    const struct skill_scanned *least = &w->skills[part[0]];
    struct skill_conflict x = {.conflict_type = CONFLICT_DEPENDENCY, .severity = SEVERITY_HIGH, .method = METHOD_RULE,
        .auto_resolvable = true};
    struct buf names;

    buf_init(&names, w->c->arena, 256);
    for (size_t i = 0; i < n; i++) {
        if (uuid_cmp(w->skills[part[i]].id, least->id) < 0)
            least = &w->skills[part[i]];
        if (names.len < 300)
            buf_printf(&names, "%s%s", i ? ", " : "", w->skills[part[i]].slug);
        for (size_t e = t->first[part[i]]; e < t->first[part[i] + 1]; e++)
            for (size_t k = 0; k < n; k++)
                if (part[k] == t->to[e] && (!weakest || w->edges[t->edge[e]].worth < weakest->worth))
                    weakest = &w->edges[t->edge[e]];
    }
    x.edge_id = weakest ? weakest->id : (struct uuid){{0}};
    x.detail = arena_printf(w->c->arena, "a cycle of what is needed: %.400s", buf_str(&names));
    skill_scan_add(w, least, NULL, &x);
}

static void cycle_enter(struct cycle_walk *t, size_t i)
{
    t->index[i] = t->low[i] = ++t->count;
    t->stack[t->n_stack++] = i;
    t->on_stack[i] = true;
    t->next[i] = t->first[i];
    t->call[t->n_call++] = i;
}

static void cycle_leave(struct cycle_walk *t, size_t i)
{
    size_t from = t->n_stack;

    t->n_call--;
    if (t->n_call && t->low[i] < t->low[t->call[t->n_call - 1]])
        t->low[t->call[t->n_call - 1]] = t->low[i];
    if (t->low[i] != t->index[i])
        return;
    do
        t->on_stack[t->stack[--from]] = false;
    while (t->stack[from] != i);
    if (t->n_stack - from > 1)
        cycle_found(t, t->stack + from, t->n_stack - from);
    t->n_stack = from;
}

static void cycle_walk_from(struct cycle_walk *t, size_t root)
{
    cycle_enter(t, root);
    while (t->n_call) {
        size_t i = t->call[t->n_call - 1];

        if (t->next[i] == t->first[i + 1]) {
            cycle_leave(t, i);
            continue;
        }
        size_t to = t->to[t->next[i]++];

        if (!t->index[to])
            cycle_enter(t, to);
        else if (t->on_stack[to] && t->index[to] < t->low[i])
            t->low[i] = t->index[to];
    }
}

void skill_scan_cycles(struct skill_scan_work *w)
{
    struct arena *a = w->c->arena;
    size_t n = w->n_skills + 2, size = sizeof(size_t);
    struct cycle_walk t = {.w = w, .first = arena_array(a, n, size), .to = arena_array(a, w->n_edges + 1, size),
                           .edge = arena_array(a, w->n_edges + 1, size), .index = arena_array(a, n, size), .low = arena_array(a, n, size),
                           .stack = arena_array(a, n, size), .call = arena_array(a, n, size), .next = arena_array(a, n, size),
                           .on_stack = arena_array(a, n, sizeof(bool))};

    cycle_lists(&t);
    for (size_t i = 0; i < w->n_skills; i++)
        if (!t.index[i])
            cycle_walk_from(&t, i);
}
