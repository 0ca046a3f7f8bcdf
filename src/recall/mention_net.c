/* See mention_net.h. Texts lead to their names by rarity and along their edges, names to their texts evenly. */
#include "mention_net.h"

#include <math.h>
#include <string.h>

#include "relation.h"

struct mention_net mention_net_new(struct arena *a, const struct snapshot *s, const struct filter *f,
                                   const struct net_options *o)
{
    return (struct mention_net){.arena = a, .s = s, .f = f, .o = *o, .texts = {.arena = a}, .names = {.arena = a}};
}

double mention_idf(const struct filter *f, uint32_t df)
{
    return log(((double)f->count + 1) / (double)df);
}

static uint32_t most_of(const struct mention_net *net)
{
    double most = net->o.hub * (double)net->f->count;

    return most > (double)net->o.hub_least ? (uint32_t)most : net->o.hub_least;
}

uint32_t mention_count(const struct snapshot *s, const struct filter *f, uint64_t key, uint32_t most)
{
    uint32_t n = 0;

    for (size_t i = 0; i < s->n_segments; i++) {
        const struct segment *g = s->segments[i];
        uint32_t e = segment_find_entity(g, key);

        for (uint32_t k = e == NO_ROW ? 0 : g->entity_at[e]; e != NO_ROW && k < g->entity_at[e + 1]; k++) {
            n += filter_has(f, s->base[i] + g->entity_rows[k]);
            if (n > most)
                return n;
        }
    }
    return n;
}

static bool has_in_title(const struct segment *g, uint32_t row, uint32_t entity)
{
    for (uint32_t i = g->mention_at[row]; i < g->mention_at[row + 1]; i++)
        if (g->mentions[i].entity == entity && g->mentions[i].in_title)
            return true;
    return false;
}

bool mention_is_titled(const struct snapshot *s, const struct filter *f, uint64_t key)
{
    for (size_t i = 0; i < s->n_segments; i++) {
        const struct segment *g = s->segments[i];
        uint32_t e = segment_find_entity(g, key);

        for (uint32_t k = e == NO_ROW ? 0 : g->entity_at[e]; e != NO_ROW && k < g->entity_at[e + 1]; k++)
            if (filter_has(f, s->base[i] + g->entity_rows[k]) && has_in_title(g, g->entity_rows[k], e))
                return true;
    }
    return false;
}

/* ---- meeting nodes -------------------------------------------------------------------------------------- */

static uint32_t mention_net_add(struct mention_net *net, struct net_node node)
{
    if (net->n == net->cap) {
        struct net_node *old = net->at;

        net->cap = net->cap ? 2 * net->cap : 256;
        net->at = ARENA_ARRAY(net->arena, struct net_node, net->cap);
        if (net->n)
            memcpy(net->at, old, net->n * sizeof *old);
    }
    net->at[net->n] = node;
    return (uint32_t)net->n++;
}

uint32_t net_text(struct mention_net *net, uint32_t row)
{
    uint32_t *place = row_map_at(&net->texts, row);

    if (*place == NO_PLACE)
        *place = mention_net_add(net, (struct net_node){.key = row, .is_text = true});
    return *place;
}

uint32_t net_name(struct mention_net *net, uint64_t key)
{
    uint32_t *place = row_map_at(&net->names, key >> 1), most = most_of(net), df;

    if (*place == NO_PLACE) {
        df = mention_count(net->s, net->f, key, most);
        *place = mention_net_add(net, (struct net_node){.key = key, .df = df > most ? 0 : df});
    }
    return *place;
}

/* ---- opening them --------------------------------------------------------------------------------------- */

static void open_name(struct mention_net *net, uint32_t place)
{
    uint64_t key = net->at[place].key;
    uint32_t n = 0, df = net->at[place].df;
    struct net_link *links = ARENA_ARRAY(net->arena, struct net_link, df + 1u);

    for (size_t i = 0; df && i < net->s->n_segments; i++) {
        const struct segment *g = net->s->segments[i];
        uint32_t e = segment_find_entity(g, key);

        for (uint32_t k = e == NO_ROW ? 0 : g->entity_at[e]; e != NO_ROW && k < g->entity_at[e + 1]; k++) {
            uint32_t row = net->s->base[i] + g->entity_rows[k];

            if (filter_has(net->f, row))
                links[n++] = (struct net_link){net_text(net, row), 1 / (double)df};
        }
    }
    net->at[place].links = links;
    net->at[place].n = n;
}

/* Does mass flow along it? Not where it says that something no longer holds, and not to what collects half the account. */
static bool conducts(const char *relation)
{
    static const char *const NOT[] = {"SUPERSEDED_BY", "CONTRADICTS", "DEMOTED_FROM", "HAS_FAILURE", "IN_SCOPE"};
    const struct relation *r = relation_find(relation);

    for (size_t i = 0; i < sizeof NOT / sizeof *NOT; i++)
        if (strcmp(NOT[i], relation) == 0)
            return false;
    return !r || !(r->flags & (REL_PLASTIC | REL_VIRTUAL));
}

/* Its edges to rows of the filter: only they count. */
static size_t edges_seen(const struct mention_net *net, uint32_t row, struct edge_end **out)
{
    size_t n = snapshot_edges(net->s, row, net->o.as_of, net->arena, out), kept = 0;

    for (size_t i = 0; i < n; i++)
        if (filter_has(net->f, (*out)[i].row))
            (*out)[kept++] = (*out)[i];
    return kept;
}

/* Edges weigh as a name would that stands in as many texts as the other end has edges. */
static uint32_t edges_of(struct mention_net *net, uint32_t row, struct net_link **out)
{
    struct edge_end *ends, *others;
    size_t n = edges_seen(net, row, &ends);
    struct net_link *links = n ? ARENA_ARRAY(net->arena, struct net_link, n) : NULL;
    uint32_t used = 0, most = most_of(net);

    for (size_t i = 0; i < n; i++) {
        size_t df;

        if (!conducts(ends[i].relation))
            continue;
        df = edges_seen(net, ends[i].row, &others);
        if (df <= most)
            links[used++] = (struct net_link){net_text(net, ends[i].row), (double)ends[i].edge->weight *
                                              (double)ends[i].edge->confidence * mention_idf(net->f, (uint32_t)df)};
    }
    *out = links;
    return used;
}

static void open_text(struct mention_net *net, uint32_t place)
{
    uint32_t row = (uint32_t)net->at[place].key, n = 0;
    struct row_at at = snapshot_at(net->s, row);
    uint32_t from = at.in->mention_at[at.r], to = at.in->mention_at[at.r + 1];
    struct net_link *edges, *links;
    uint32_t n_edges = edges_of(net, row, &edges);
    double all = 0;

    links = ARENA_ARRAY(net->arena, struct net_link, to - from + n_edges + 1u);
    for (uint32_t i = from; i < to; i++) {
        const struct mention *m = &at.in->mentions[i];
        uint32_t name = net_name(net, at.in->entity_key[m->entity]);

        if (net->at[name].df)
            links[n++] = (struct net_link){name, mention_idf(net->f, net->at[name].df) * (m->in_title ? net->o.title : 1)};
    }
    for (uint32_t i = 0; i < n_edges; i++)
        links[n++] = edges[i];
    for (uint32_t i = 0; i < n; i++)
        all += links[i].weight;
    for (uint32_t i = 0; i < n && all > 0; i++)
        links[i].weight /= all;
    net->at[place].links = links;
    net->at[place].n = all > 0 ? n : 0;
}

struct net_node *net_open(struct mention_net *net, uint32_t place)
{
    if (!net->at[place].is_open) {
        if (net->at[place].is_text)
            open_text(net, place);
        else
            open_name(net, place);
        net->at[place].is_open = true;
    }
    return &net->at[place];
}
