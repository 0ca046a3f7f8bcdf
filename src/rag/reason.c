/* Paths that bear on a question; see reason.h. */
#include "reason.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "access.h"
#include "document.h"
#include "graph_rag.h"
#include "knowledge_base.h"
#include "sentences.h"
#include "word_share.h"

#define BEAM 2000    /* nodes that a walk meets */
#define CROWDED 20.0 /* edges of a node from which on it says less */
#define QUOTE_MAX 300

static size_t reason_degree(const struct graph_walk *w, size_t at)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_edges; i++)
        n += uuid_eq(w->edges[i].source_id, w->nodes[at].id) || uuid_eq(w->edges[i].target_id, w->nodes[at].id);
    return n;
}

/* seed · geometric mean of the hops · (0.5 + 0.5 · words of the end in the question) / (1 + 0.2 · (hops − 1)) / crowds in between. */
static double reason_score(struct ctx *c, const struct graph_walk *w, const char *query, double seed, size_t end)
{
    struct word_share text = {.title = "", .body = query};
    double product = 1, hops = (double)w->nodes[end].distance;

    for (size_t at = end; w->nodes[at].edge != SIZE_MAX; at = w->nodes[at].from) {
        const struct walk_edge *e = &w->edges[w->nodes[at].edge];
        size_t degree = at == end ? 0 : reason_degree(w, at);

        product *= pow(e->weight * e->confidence, 1 / hops);
        if ((double)degree > CROWDED)
            product /= sqrt((double)degree / CROWDED);
    }
    word_shares(c, w->nodes[end].title, &text, 1);
    return seed * product * (0.5 + 0.5 * text.share) / (1 + 0.2 * (hops - 1));
}

static struct reason_path reason_path_of(struct ctx *c, const struct graph_walk *w, size_t end, double score)
{
    size_t n = (size_t)w->nodes[end].distance;
    struct walk_node *nodes = ARENA_ARRAY(c->arena, struct walk_node, n + 1);
    struct reason_hop *hops = ARENA_ARRAY(c->arena, struct reason_hop, n + 1);

    for (size_t i = n, at = end;; at = w->nodes[at].from) {
        nodes[i] = w->nodes[at];
        if (!i--)
            break;
        hops[i] = (struct reason_hop){w->nodes[w->nodes[at].from].title, w->edges[w->nodes[at].edge].relation, w->nodes[at].title,
                                      w->edges[w->nodes[at].edge], NULL};
    }
    return (struct reason_path){score, {nodes, n + 1}, {hops, n}};
}

static int reason_order(const void *a, const void *b)
{
    const struct reason_path *x = a, *y = b;

    return x->score != y->score ? (x->score < y->score) - (x->score > y->score) : (x->hops.n > y->hops.n) - (x->hops.n < y->hops.n);
}

/* ---- what says so */

static const char *reason_sentence(struct ctx *c, const char *text, const struct reason_hop *h)
{
    const char *one = NULL;
    size_t n = 0;

    for (const char *p = sentence_next(text, &n); p; p = sentence_next(p + n, &n)) {
        const char *said = n <= QUOTE_MAX ? arena_strndup(c->arena, p, n) : NULL;

        if (said && strcasestr(said, h->source) && strcasestr(said, h->target))
            return said;
        if (said && !one && (strcasestr(said, h->source) || strcasestr(said, h->target)))
            one = said;
    }
    return one;
}

/* One read for the chunks of all paths. */
static err reason_quote(struct ctx *c, struct reason_path *paths, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n * WALK_DEPTH * WALK_EVIDENCE + 1);
    const struct chunk *v;
    struct list chunks;
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; h < paths[i].hops.n; h++) {
            const struct walk_edge *e = &((const struct reason_hop *)paths[i].hops.v)[h].edge;

            for (size_t x = 0; x < e->evidence.n && x < WALK_EVIDENCE; x++)
                ids[k++] = e->evidence.v[x];
        }
    if (!k)
        return ERR_OK;
    TRY(chunk_get_many(c, ids, k, &chunks));
    v = chunks.v;
    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; h < paths[i].hops.n; h++) {
            struct reason_hop *hop = &((struct reason_hop *)paths[i].hops.v)[h];

            for (size_t x = 0; x < chunks.n && !hop->quote; x++)
                for (size_t e = 0; e < hop->edge.evidence.n && !hop->quote; e++)
                    if (uuid_eq(v[x].id, hop->edge.evidence.v[e]))
                        hop->quote = reason_sentence(c, v[x].content, hop);
        }
    return ERR_OK;
}

static const char *reason_in_words(struct ctx *c, const struct reason_path *p)
{
    const struct reason_hop *h = p->hops.v;
    struct buf text;

    buf_init(&text, c->arena, 512);
    for (size_t i = 0; i < p->hops.n; i++)
        buf_printf(&text, "%s%s –%s→ %s [%zu]", i ? "; " : "", h[i].source, h[i].relation, h[i].target, i + 1);
    return buf_str(&text);
}

/* ---- paths */

static err reason_walk(struct ctx *c, const struct reason_in *in, const struct graph_seed *seeds, size_t n, struct reason_path *paths,
                       size_t *k)
{
    struct walk_wish wish = {.depth = in->max_hops, .co_mentioned = true, .as_of = in->as_of, .limit = BEAM};

    for (size_t s = 0; s < n; s++) {
        struct graph_walk w;

        TRY(graph_walk_begin(c, &seeds[s].id, 1, &w));
        TRY(graph_walk_all(c, &w, &wish));
        for (size_t i = 1; i < w.n && *k < BEAM; i++)
            paths[(*k)++] = reason_path_of(c, &w, i, reason_score(c, &w, in->query, 1 - seeds[s].distance, i));
        TRY(ctx_check_size(c));
    }
    return ERR_OK;
}

/* Two names in the question: the path between them. */
static err reason_between(struct ctx *c, const struct reason_in *in, const struct graph_seed *seeds, struct reason_path *paths, size_t *k)
{
    struct walk_wish wish = {.depth = in->max_hops, .co_mentioned = true, .as_of = in->as_of, .limit = BEAM};
    struct graph_path p;
    struct reason_hop *hops;
    double product = 1;

    TRY(graph_path_find(c, seeds[0].id, seeds[1].id, &wish, true, &p));
    if (p.reason != PATH_FOUND || !p.edges.n)
        return ERR_OK;
    hops = ARENA_ARRAY(c->arena, struct reason_hop, p.edges.n + 1);
    for (size_t i = 0; i < p.edges.n; i++) {
        const struct walk_node *v = p.nodes.v;
        const struct walk_edge *e = p.edges.v;

        hops[i] = (struct reason_hop){v[i].title, e[i].relation, v[i + 1].title, e[i], NULL};
        product *= pow(e[i].weight * e[i].confidence, 1 / (double)p.edges.n);
    }
    paths[(*k)++] = (struct reason_path){product / (1 + 0.2 * ((double)p.edges.n - 1)), p.nodes, {hops, p.edges.n}};
    return ERR_OK;
}

err graph_reason(struct ctx *c, const struct reason_in *in, struct reason_out *out)
{
    struct uuids spaces;
    struct reason_path *paths = ARENA_ARRAY(c->arena, struct reason_path, BEAM + 2);
    const struct graph_seed *seeds;
    struct list list;
    size_t k = 0;

    *out = (struct reason_out){0};
    TRY(knowledge_base_readable_spaces(c, in->knowledge_base_id, &spaces));
    TRY(graph_rag_seeds(c, in->query, spaces, NULL, &list));
    seeds = list.v;
    if (list.n >= 2 && seeds[0].distance <= 0 && seeds[1].distance <= 0)
        TRY(reason_between(c, in, seeds, paths, &k));
    if (!k)
        TRY(reason_walk(c, in, seeds, list.n, paths, &k));
    if (k)
        qsort(paths, k, sizeof *paths, reason_order);
    k = k < (size_t)in->top_k ? k : (size_t)in->top_k;
    TRY(reason_quote(c, paths, k));
    out->paths = (struct list){paths, k};
    out->found = k > 0;
    out->answer = k ? reason_in_words(c, &paths[0]) : NULL;
    out->confidence = k ? fmin(paths[0].score, 1) : 0;
    return ERR_OK;
}
