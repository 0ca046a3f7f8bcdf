/* Retrieval along the graph; see graph_rag.h. */
#include "graph_rag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "community.h"
#include "graph_walk.h"
#include "mentions.h"
#include "rag_impl.h"

#define VISITED 2000
#define RAG_CHUNKS 200
#define ROUNDS 12
#define DAMPING 0.8
#define NAMED_TITLES 3   /* passages whose names stand in where the query names nothing */
#define NEIGHBOURHOOD 50 /* names of a community that is made on the spot */
#define GRAPH_SHARE 0.5  /* of what the graph says, beside the hybrid search, which holds a walk over names already */

struct graph_rag_work {
    const struct graph_rag_in *in;
    struct uuids spaces;
    struct rag_out hybrid;
    struct list seeds;
    struct graph_walk walk;
    double *mass;
    struct strs degraded;
};

static void graph_rag_degraded(struct ctx *c, struct strs *list, const char *what)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, list->n + 1);

    for (size_t i = 0; i < list->n; i++)
        v[i] = list->v[i];
    v[list->n] = what;
    *list = (struct strs){v, list->n + 1};
}

/* ---- seeds */

static bool graph_seed_is_part(const char *of, const char *part)
{
    return strlen(of) > strlen(part) && strstr(of, part);
}

/* Names of the query that entities have; "Mine Creek" says nothing more beside "Battle of Mine Creek". */
static err graph_seeds_named(struct ctx *c, const char *query, struct uuids spaces, struct graph_seed *seeds, size_t *n)
{
    struct found_names found = {.arena = c->arena};
    const struct walk_name *v;
    const char **norms;
    struct list rows;
    size_t k = 0;

    mentions_of_query(&found, query);
    norms = ARENA_ARRAY(c->arena, const char *, found.n + 1);
    for (size_t i = 0; i < found.n; i++)
        norms[k++] = found.at[i].name;
    TRY(graph_entities_named(c, norms, k, spaces, &rows));
    v = rows.v;
    for (size_t i = 0; i < rows.n && *n < MAX_SEED_NODES; i++) {
        bool is_part = false;

        for (size_t m = 0; m < *n && !is_part; m++)
            is_part = graph_seed_is_part(seeds[m].title, v[i].title);
        if (!is_part)
            seeds[(*n)++] = (struct graph_seed){v[i].entity_id, v[i].title, "entity", 0, true};
    }
    return ERR_OK;
}

static void graph_seed_add(struct graph_seed *seeds, size_t *n, struct graph_seed s)
{
    for (size_t i = 0; i < *n; i++)
        if (uuid_eq(seeds[i].id, s.id))
            return;
    if (*n < MAX_SEED_NODES)
        seeds[(*n)++] = s;
}

static err graph_seeds_by_meaning(struct ctx *c, const char *query, struct uuids spaces, struct graph_seed *seeds, size_t *n)
{
    static const char *KINDS[] = {"entity", "community"};
    struct recall_filters filters = {.aside = true};
    const struct recall_hit *hits;
    struct recall_out found;
    struct recall_in ask;

    recall_in_defaults(&ask);
    ask.query = query;
    ask.mode = MODE_VECTOR;
    ask.kinds = (struct strs){KINDS, 2};
    ask.filters = &filters;
    ask.spaces = spaces;
    ask.limit = MAX_SEED_NODES;
    ask.min_score = 0;
    ask.lifecycle = SWITCH_OFF;
    ask.touch = false;
    ask.body_chars = 0;
    TRY(recall_run(c, &ask, &found));
    hits = found.hits.v;
    for (size_t i = 0; i < found.hits.n; i++)
        if (hits[i].similarity >= 1 - SEED_DISTANCE_THRESHOLD)
            graph_seed_add(seeds, n, (struct graph_seed){hits[i].id, hits[i].title, hits[i].kind, 1 - hits[i].similarity, true});
    return ERR_OK;
}

static err graph_seeds_of_passages(struct ctx *c, const struct rag_out *found, struct graph_seed *seeds, size_t *n)
{
    const struct rag_result *v = found->results.v;
    const struct walk_name *names;
    struct uuid ids[NAMED_TITLES];
    size_t k = 0;
    struct list rows;

    for (; k < found->results.n && k < NAMED_TITLES; k++)
        ids[k] = v[k].chunk_id;
    if (!k)
        return ERR_OK;
    TRY(graph_names_in(c, ids, k, &rows));
    names = rows.v;
    for (size_t i = 0; i < rows.n && *n < MAX_SEED_NODES; i++)
        if (names[i].mentions > 1)
            graph_seed_add(seeds, n, (struct graph_seed){names[i].entity_id, names[i].title, "entity", SEED_DISTANCE_THRESHOLD, true});
    return ERR_OK;
}

err graph_rag_seeds(struct ctx *c, const char *query, struct uuids spaces, const struct rag_out *found, struct list *out)
{
    struct graph_seed *seeds = ARENA_ARRAY(c->arena, struct graph_seed, MAX_SEED_NODES + 1);
    size_t n = 0;

    TRY(graph_seeds_named(c, query, spaces, seeds, &n));
    if (n < MAX_SEED_NODES)
        TRY(graph_seeds_by_meaning(c, query, spaces, seeds, &n));
    if (!n && found)
        TRY(graph_seeds_of_passages(c, found, seeds, &n));
    *out = (struct list){seeds, n};
    return ERR_OK;
}

/* ---- what lies around them */

static double graph_seed_share(const struct graph_seed *s)
{
    return 1 - s->distance;
}

/* Personalised PageRank over what the walk met. */
static void graph_rag_flow(struct ctx *c, struct graph_rag_work *w)
{
    const struct graph_walk *g = &w->walk;
    const struct graph_seed *s = w->seeds.v;
    double *next = ARENA_ARRAY(c->arena, double, g->n + 1), *out = ARENA_ARRAY(c->arena, double, g->n + 1), all = 0, *was;
    size_t *from = ARENA_ARRAY(c->arena, size_t, 2 * g->n_edges + 1);

    w->mass = ARENA_ARRAY(c->arena, double, g->n + 1);
    for (size_t i = 0; i < g->n_edges; i++) {
        from[2 * i] = graph_walk_find(g, g->edges[i].source_id);
        from[2 * i + 1] = graph_walk_find(g, g->edges[i].target_id);
        out[from[2 * i]] += g->edges[i].weight * g->edges[i].confidence;
        out[from[2 * i + 1]] += g->edges[i].weight * g->edges[i].confidence;
    }
    for (size_t i = 0; i < w->seeds.n; i++)
        all += graph_seed_share(&s[i]);
    for (int round = 0; round < ROUNDS; round++) {
        memset(next, 0, g->n * sizeof *next);
        for (size_t i = 0; i < w->seeds.n; i++)
            next[graph_walk_find(g, s[i].id)] += (round ? 1 - DAMPING : 1) * graph_seed_share(&s[i]) / (all > 0 ? all : 1);
        for (size_t i = 0; i < 2 * g->n_edges; i++) {
            const struct walk_edge *e = &g->edges[i / 2];

            if (out[from[i]] > 0)
                next[from[i ^ 1]] += DAMPING * w->mass[from[i]] * e->weight * e->confidence / out[from[i]];
        }
        was = w->mass;
        w->mass = next;
        next = was;
    }
}

static err graph_rag_walk(struct ctx *c, struct graph_rag_work *w)
{
    struct walk_wish wish = {.depth = w->in->max_hops, .co_mentioned = true, .limit = VISITED};
    const struct graph_seed *s = w->seeds.v;
    struct uuid ids[MAX_SEED_NODES];

    for (size_t i = 0; i < w->seeds.n; i++)
        ids[i] = s[i].id;
    TRY(graph_walk_begin(c, ids, w->seeds.n, &w->walk));
    if (w->seeds.n)
        TRY(graph_walk_all(c, &w->walk, &wish));
    graph_rag_flow(c, w);
    return ERR_OK;
}

/* ---- communities */

static int graph_community_order(const void *a, const void *b)
{
    const struct graph_community *x = a, *y = b;

    return x->score != y->score ? (x->score < y->score) - (x->score > y->score) : uuid_cmp(x->id, y->id);
}

static double graph_community_mass(const struct graph_rag_work *w, const struct list *members, struct uuid id)
{
    const struct community_hold *v = members->v;
    double sum = 0;

    for (size_t i = 0; i < members->n; i++)
        if (uuid_eq(v[i].community_id, id) && graph_walk_find(&w->walk, v[i].node_id) != SIZE_MAX)
            sum += w->mass[graph_walk_find(&w->walk, v[i].node_id)];
    return sum;
}

/* Nothing is known of the surroundings yet: they stand for themselves. */
static void graph_community_on_the_spot(struct ctx *c, const struct graph_rag_work *w, struct list *out)
{
    struct graph_community *v = ARENA_ARRAY(c->arena, struct graph_community, 1);
    const struct graph_walk *g = &w->walk;
    struct buf text;
    size_t n = 0;

    buf_init(&text, c->arena, 1024);
    for (size_t i = 0; i < g->n && n < NEIGHBOURHOOD; i++)
        if (str_eq(g->nodes[i].kind, "entity"))
            buf_printf(&text, "%s%s", n++ ? ", " : "Names around: ", g->nodes[i].title);
    if (n < COMMUNITY_MIN_SIZE)
        return;
    v[0] = (struct graph_community){.id = g->nodes[0].id, .title = g->nodes[0].title, .size = (int64_t)n, .score = 1, .stale = true,
                                    .untrusted = true, .summary = w->in->include_summaries ? buf_str(&text) : NULL};
    *out = (struct list){v, 1};
}

static err graph_rag_communities(struct ctx *c, const struct graph_rag_work *w, struct list *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, w->walk.n + 1);
    struct list found, members;
    const struct community *v;
    struct graph_community *list;
    size_t n = 0;

    *out = (struct list){0};
    for (size_t i = 0; i < w->walk.n; i++)
        ids[i] = w->walk.nodes[i].id;
    TRY(community_holding(c, ids, w->walk.n, &found, &members));
    v = found.v;
    list = ARENA_ARRAY(c->arena, struct graph_community, found.n + 1);
    for (size_t i = 0; i < found.n; i++)
        if (v[i].size >= COMMUNITY_MIN_SIZE)
            list[n++] = (struct graph_community){v[i].id, v[i].title, w->in->include_summaries ? v[i].summary : NULL, v[i].size,
                                                 graph_community_mass(w, &members, v[i].id) / sqrt((double)v[i].size), v[i].stale, true};
    if (n)
        qsort(list, n, sizeof *list, graph_community_order);
    *out = (struct list){list, n < MAX_COMMUNITIES ? n : MAX_COMMUNITIES};
    if (!n)
        graph_community_on_the_spot(c, w, out);
    return ERR_OK;
}

/* ---- chunks */

struct graph_scored {
    struct uuid chunk_id;
    double mass, best; /* best: of one name */
    size_t by;         /* that name's node of the walk */
    double score;
};

static int graph_scored_id_order(const void *a, const void *b)
{
    return uuid_cmp(((const struct graph_scored *)a)->chunk_id, ((const struct graph_scored *)b)->chunk_id);
}

static int graph_scored_order(const void *a, const void *b)
{
    const struct graph_scored *x = a, *y = b;

    return x->score != y->score ? (x->score < y->score) - (x->score > y->score) : uuid_cmp(x->chunk_id, y->chunk_id);
}

static int graph_place_order(const void *a, const void *b, void *arg)
{
    const double *mass = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return mass[x] != mass[y] ? (mass[x] < mass[y]) - (mass[x] > mass[y]) : (x > y) - (x < y);
}

/* The chunks that mention the names with most mass, and how much reaches each. */
static err graph_rag_mentions(struct ctx *c, const struct graph_rag_work *w, struct graph_scored **out, size_t *n)
{
    size_t *order = ARENA_ARRAY(c->arena, size_t, w->walk.n + 1), k = w->walk.n < RAG_CHUNKS ? w->walk.n : RAG_CHUNKS;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, k + 1);
    const struct walk_mention *v;
    struct list rows;

    for (size_t i = 0; i < w->walk.n; i++)
        order[i] = i;
    if (w->walk.n)
        qsort_r(order, w->walk.n, sizeof *order, graph_place_order, w->mass);
    for (size_t i = 0; i < k; i++)
        ids[i] = w->walk.nodes[order[i]].id;
    TRY(graph_mentions_of(c, ids, k, 20 * RAG_CHUNKS, &rows));
    v = rows.v;
    *out = ARENA_ARRAY(c->arena, struct graph_scored, rows.n + 1);
    *n = 0;
    for (size_t i = 0; i < rows.n; i++) {
        size_t at = graph_walk_find(&w->walk, v[i].entity_id);

        (*out)[i] = (struct graph_scored){v[i].chunk_id, w->mass[at] * v[i].weight, w->mass[at] * v[i].weight, at, 0};
    }
    if (rows.n)
        qsort(*out, rows.n, sizeof **out, graph_scored_id_order);
    for (size_t i = 0; i < rows.n; i++) {
        struct graph_scored *x = &(*out)[*n ? *n - 1 : 0], now = (*out)[i];

        if (!*n || !uuid_eq(x->chunk_id, now.chunk_id)) {
            (*out)[(*n)++] = now;
            continue;
        }
        x->mass += now.mass;
        if (now.best > x->best) {
            x->best = now.best;
            x->by = now.by;
        }
    }
    return ERR_OK;
}

/* Names from a seed to that node. */
static struct strs graph_rag_via(struct ctx *c, const struct graph_walk *g, size_t at)
{
    size_t n = (size_t)g->nodes[at].distance + 1;
    const char **v = ARENA_ARRAY(c->arena, const char *, n + 1);

    for (size_t i = n; i-- > 0; at = g->nodes[at].from)
        v[i] = g->nodes[at].title;
    return (struct strs){v, n};
}

/* What the graph found with what the hybrid search did, by both; *n: how many. */
static struct graph_scored *graph_rag_scores(struct ctx *c, const struct graph_rag_work *w, const struct graph_scored *by_name, size_t *n)
{
    const struct rag_result *hits = w->hybrid.results.v;
    struct graph_scored *all = ARENA_ARRAY(c->arena, struct graph_scored, *n + w->hybrid.results.n + 1);
    double most = 0, best = w->hybrid.results.n && hits[0].score > 0 ? hits[0].score : 1;
    size_t known = *n;

    for (size_t i = 0; i < known; i++)
        most = by_name[i].mass > most ? by_name[i].mass : most;
    for (size_t i = 0; i < known; i++) {
        all[i] = by_name[i];
        all[i].score = most > 0 ? GRAPH_SHARE * log(1 + 1000 * all[i].mass / most) / log(1001) : 0;
    }
    for (size_t i = 0; i < w->hybrid.results.n; i++) {
        struct graph_scored key = {.chunk_id = hits[i].chunk_id, .by = SIZE_MAX, .score = hits[i].score / best}, *there;

        there = known ? bsearch(&key, by_name, known, sizeof key, graph_scored_id_order) : NULL;
        if (there)
            all[there - by_name].score += key.score;
        else
            all[(*n)++] = key;
    }
    if (*n)
        qsort(all, *n, sizeof *all, graph_scored_order);
    return all;
}

static err graph_rag_join(struct ctx *c, const struct graph_rag_work *w, const struct graph_scored *by_name, size_t n,
                          struct graph_rag_out *out)
{
    const struct graph_scored *all = graph_rag_scores(c, w, by_name, &n);
    struct graph_result *v;
    struct list chunks;
    struct uuid *ids;
    size_t k = 0;

    n = n < (size_t)w->in->top_k ? n : (size_t)w->in->top_k;
    ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    v = ARENA_ARRAY(c->arena, struct graph_result, n + 1);
    for (size_t i = 0; i < n; i++)
        ids[i] = all[i].chunk_id;
    TRY(rag_results_of(c, ids, n, w->spaces, &chunks));
    for (size_t i = 0; i < n; i++) {
        const struct rag_result *r = rag_result_find(&chunks, all[i].chunk_id);

        if (!r)
            continue;
        v[k] = (struct graph_result){.result = *r};
        v[k].result.score = all[i].score;
        v[k].result.rank = (int64_t)k + 1;
        if (all[i].by != SIZE_MAX)
            v[k].via = graph_rag_via(c, &w->walk, all[i].by);
        k++;
    }
    out->results = (struct list){v, k};
    out->total_results = (int64_t)k;
    return ERR_OK;
}

err graph_rag_retrieve(struct ctx *c, const struct graph_rag_in *in, struct graph_rag_out *out)
{
    int64_t began_us = clock_monotonic_us();
    struct graph_rag_work work = {.in = in}, *w = &work;
    struct rag_in ask = {.query = in->query, .knowledge_base_id = in->knowledge_base_id, .knowledge_base_ids = in->knowledge_base_ids,
                         .mode = RAG_HYBRID, .fusion_method = -1, .top_k = in->top_k};
    struct graph_scored *by_name;
    struct uuids bases;
    size_t n;

    *out = (struct graph_rag_out){0};
    TRY(rag_find(c, &ask, &bases, &w->hybrid));
    w->spaces = knowledge_base_spaces(c, bases);
    if (!w->spaces.n)
        return ERR_OK;
    out->verdict = w->hybrid.verdict;
    out->degraded = w->hybrid.degraded;
    TRY(graph_rag_seeds(c, in->query, w->spaces, &w->hybrid, &w->seeds));
    if (!w->seeds.n)
        graph_rag_degraded(c, &out->degraded, "graph: no seed");
    out->seeds = w->seeds;
    TRY(graph_rag_walk(c, w));
    TRY(graph_rag_communities(c, w, &out->communities));
    TRY(graph_rag_mentions(c, w, &by_name, &n));
    TRY(graph_rag_join(c, w, by_name, n, out));
    out->latency_ms = (double)(clock_monotonic_us() - began_us) / 1000;
    return ERR_OK;
}
