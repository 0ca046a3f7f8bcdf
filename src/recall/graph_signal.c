/* The graph as a stage: personalised PageRank from the names of the query and the best fused hits; see ppr.h. */
#include <math.h>
#include <string.h>

#include "graph_gate.h"
#include "ppr.h"
#include "recall_impl.h"
#include "sentences.h"

#define SEEDS 3   /* of the fused list; with more the gain is lost */
#define NATS 10.0 /* for each nat that the rarest name is rarer than one in HUB texts */
#define HUB 50.0
#define UNTITLED 0.125 /* of that, where no text has one of the names in its title */
#define WEIGHT 2.0     /* beside the best, where no nats are added up, or who asks wants the graph */
#define STATEMENT 0.25 /* of that, for what asks nothing */
#define SHORT 32       /* bytes of a query that is only names */
#define STEEP 1000.0
#define NEIGHBOURS POOL /* rows that may come in */

static const struct ppr_options WALK = PPR_DEFAULTS;

/* How much rarer than a hub the rarest name is: in a small account none leads much further than words do. It says
 * little where no text is about it. */
static double graph_signal_rarity(const struct recall *r)
{
    const struct graph_gate *gate = &r->understood.gate;
    double part = UNTITLED;
    uint32_t df = UINT32_MAX;

    for (size_t i = 0; i < gate->n; i++) {
        df = gate->names[i].df < df ? gate->names[i].df : df;
        part = gate->names[i].is_titled ? 1 : part;
    }
    return gate->n ? part * log(1 + ((double)r->counts.count + 1) / (HUB * (double)df)) : 0;
}

/* In the unit of what was fused. A question looks for what its names lead to. A statement says most of it itself: measured on
 * SciFact's claims; and where the model cannot read it, its capitals may be those of another language's nouns: measured on German
 * texts. */
static double graph_signal_weight_of(const struct recall *r)
{
    const struct recall_weights *w = r->in->weights;
    const double *route = r->understood.route, best = r->n ? r->at[0].relevance : 0;
    bool asks = route[ROUTE_FACTUAL] > 0 || route[ROUTE_PROCEDURAL] > 0 || strlen(r->text) < SHORT;
    bool in_nats = r->fused.fusion == FUSION_SURPRISE && r->in->mode != MODE_GRAPH;

    if (w && w->graph >= 0)
        return w->graph * best;
    return (in_nats ? NATS * graph_signal_rarity(r) : WEIGHT * best) * (asks ? 1 : STATEMENT * (1 + r->fused.known) / 2);
}

bool wants_graph(const struct recall *r)
{
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

static bool graph_has_name(const struct graph_gate *gate, const struct found_names *found)
{
    for (size_t i = 0; i < gate->n; i++)
        for (size_t k = 0; k < found->n; k++)
            if (found->at[k].key == gate->names[i].key)
                return true;
    return false;
}

/* Sentences of the query in which one of the names stands; at least 1. */
static size_t named_sentences(const struct recall *r)
{
    struct arena *a = r->c->arena;
    size_t n = 0, length;

    for (const char *p = r->text; (p = sentence_next(p, &length)); p += length) {
        struct found_names found = {.arena = a};

        mentions_of_query(&found, arena_strndup(a, p, length));
        n += graph_has_name(&r->understood.gate, &found);
    }
    return n ? n : 1;
}

/* Names speak for the sentences they stand in, of which not each need be meant: the more there are, the less they weigh. What they say
 * joins the root of squares that words are, where a text is taken to have found as much in each sentence. Of a query of one sentence
 * it is added. */
static double joined(const struct recall *r, const struct candidate *k, double gain)
{
    const double words = k->marks[SIG_SPARSE].share;
    const size_t sentences = r->sparse && r->fused.fusion == FUSION_SURPRISE ? keyword_sentences(r->sparse) : 1;

    if (sentences == 1)
        return gain;
    return sqrt(words * words + 2 * words * gain / sqrt((double)sentences) + gain * gain) - words;
}

static err add_mass(struct recall *r, double weight, const struct scored *list, size_t n)
{
    uint32_t *rows = ARENA_ARRAY(r->c->arena, uint32_t, NEIGHBOURS);
    size_t in = 0;

    for (size_t i = 0; i < n && in < NEIGHBOURS; i++)
        if (filter_has(&r->filter, list[i].row))
            rows[in++] = list[i].row;
    TRY(recall_admit(r, rows, in));
    for (size_t i = 0; i < n; i++) {
        struct candidate *k = recall_find(r, list[i].row);

        if (!k)
            continue;
        k->marks[SIG_GRAPH].rank = (uint32_t)i + 1;
        k->marks[SIG_GRAPH].known = true;
        k->marks[SIG_GRAPH].raw = (double)list[i].score;
        recall_add_share(k, SIG_GRAPH, joined(r, k, weight * steep((double)list[i].score, (double)list[0].score)));
    }
    return ERR_OK;
}

err stage_graph(struct recall *r)
{
    const struct graph_gate *gate = &r->understood.gate;
    struct ppr_start *starts;
    struct ppr_options walk = WALK;
    const double weight = graph_signal_weight_of(r) / sqrt((double)named_sentences(r));
    struct scored *list;
    size_t n;

    if (r->in->explain) {
        r->stage_note = json_obj(r->c->arena);
        json_set_str(r->c->arena, r->stage_note, "gate", gate->is_open ? "open" : "closed");
        json_set(r->c->arena, r->stage_note, "weight", json_num(r->c->arena, weight));
    }
    if (weight <= 0 || (!gate->is_open && r->in->mode != MODE_GRAPH))
        return ERR_OK;
    starts = ARENA_ARRAY(r->c->arena, struct ppr_start, gate->n + SEEDS);
    n = starts_of(r, gate, starts);
    walk.net.as_of = r->in->as_of.us;
    n = ppr_rank(r->c->arena, r->index, &r->counts, starts, n, &walk, &list);
    return n ? add_mass(r, weight, list, n) : ERR_OK;
}
