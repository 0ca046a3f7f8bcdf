/* The graph as a stage: personalised PageRank from the names of the query and the best fused hits; see ppr.h. */
#include <math.h>
#include <string.h>

#include "graph_gate.h"
#include "ppr.h"
#include "recall_impl.h"

#define SEEDS 3        /* of the fused list; with more the gain is lost */
#define WEIGHT 2.0     /* beside the fused relevance, which is 1 at most */
#define STATEMENT 0.25 /* of that, for what asks nothing */
#define SHORT 32       /* bytes of a query that is only names */
#define STEEP 1000.0
#define NEIGHBOURS POOL /* rows that may come in */

static const struct ppr_options WALK = PPR_DEFAULTS;

/* A question looks for what its names lead to. A statement says most of it itself: measured on SciFact's claims; and where
 * the model cannot read it, its capitals may be those of another language's nouns: measured on German texts. */
static double weight_of(const struct recall *r)
{
    const struct recall_weights *w = r->in->weights;
    const double *route = r->understood.route;
    bool asks = route[ROUTE_FACTUAL] > 0 || route[ROUTE_PROCEDURAL] > 0 || strlen(r->text) < SHORT;

    if (w && w->graph >= 0)
        return w->graph;
    return asks ? WEIGHT : STATEMENT * WEIGHT * (1 + r->fused.balance.known) / 2;
}

static bool is_skill(const struct recall *r, const struct candidate *k)
{
    return recall_kind(r, k) == segment_kind("skill");
}

bool wants_graph(const struct recall *r)
{
    if (r->kinds == 1ull << segment_kind("skill") || weight_of(r) <= 0)
        return false;
    return r->in->mode == MODE_HYBRID || r->in->mode == MODE_SURGICAL || r->in->mode == MODE_GRAPH;
}

/* Half of all begins at the names, half at the hits; where there is only one of the two, all of it. */
static size_t starts_of(const struct recall *r, const struct graph_gate *gate, struct ppr_start *out)
{
    double names = 0, hits = 0;
    size_t seeds = r->kept < SEEDS ? r->kept : SEEDS, n = 0;

    for (size_t i = 0; i < gate->n; i++)
        names += gate->names[i].idf;
    for (size_t i = 0; i < seeds; i++)
        hits += r->at[i].relevance * r->at[i].relevance;
    for (size_t i = 0; i < gate->n && names > 0; i++)
        out[n++] = (struct ppr_start){true, gate->names[i].key, gate->names[i].idf / names * (hits > 0 ? 0.5 : 1)};
    for (size_t i = 0; i < seeds && hits > 0; i++)
        out[n++] = (struct ppr_start){false, r->at[i].row,
                                      r->at[i].relevance * r->at[i].relevance / hits * (names > 0 ? 0.5 : 1)};
    return n;
}

static double steep(double mass, double most)
{
    return log(1 + STEEP * mass / most) / log(1 + STEEP);
}

static void scale_all(struct recall *r)
{
    double most = 0;

    for (size_t i = 0; i < r->n; i++)
        most = fmax(most, r->at[i].relevance);
    for (size_t i = 0; i < r->n && most > 0; i++)
        recall_scale(&r->at[i], 1 / most);
}

/* final = fused / max + weight · log(1 + 1000 · ppr / max) in its own scale; then everything to at most 1 again. */
static err add_mass(struct recall *r, const struct scored *list, size_t n)
{
    uint32_t *rows = ARENA_ARRAY(r->c->arena, uint32_t, NEIGHBOURS);
    size_t in = 0;

    for (size_t i = 0; i < n && in < NEIGHBOURS; i++)
        if (filter_has(&r->filter, list[i].row))
            rows[in++] = list[i].row;
    TRY(recall_admit(r, rows, in));
    scale_all(r);
    for (size_t i = 0; i < n; i++) {
        struct candidate *k = recall_find(r, list[i].row);

        if (!k || is_skill(r, k))
            continue;
        k->marks[SIG_GRAPH].rank = (uint32_t)i + 1;
        k->marks[SIG_GRAPH].known = true;
        k->marks[SIG_GRAPH].raw = (double)list[i].score;
        recall_add_share(k, SIG_GRAPH, weight_of(r) * steep((double)list[i].score, (double)list[0].score));
    }
    scale_all(r);
    return ERR_OK;
}

err stage_graph(struct recall *r)
{
    const struct graph_gate *gate = &r->understood.gate;
    struct ppr_start *starts;
    struct ppr_options walk = WALK;
    struct scored *list;
    size_t n;

    if (r->in->explain) {
        r->stage_note = json_obj(r->c->arena);
        json_set_str(r->c->arena, r->stage_note, "gate", gate->is_open ? "open" : "closed");
        json_set(r->c->arena, r->stage_note, "weight", json_num(r->c->arena, weight_of(r)));
    }
    if (!gate->is_open && r->in->mode != MODE_GRAPH)
        return ERR_OK;
    starts = ARENA_ARRAY(r->c->arena, struct ppr_start, gate->n + SEEDS);
    n = starts_of(r, gate, starts);
    walk.net.as_of = r->in->as_of.us;
    n = ppr_rank(r->c->arena, r->index, &r->counts, starts, n, &walk, &list);
    return n ? add_mass(r, list, n) : ERR_OK;
}
