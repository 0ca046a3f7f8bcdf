/* Vector search: recall, time, memory, insert and delete of ours and, where tests/bench/vector linked them in, of FAISS and
   hnswlib. All in one run, in CPU time of one thread, so that ratios hold on a busy machine. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "dense.h"
#include "vector_peers.h"
#include "vector_world.h"

enum { TRIALS = 3, ARENA_CAP = 1 << 30, FILTERS = 3, PEERS_FROM = 1000000, SLOW_S = 4 };

/* The recall at which times are compared. */
#define GOAL 0.995

static const char *const FILTER_NAMES[FILTERS] = {"all rows", "10 %", "1 %"};

struct measured {
    double recall, us;
    size_t asked, read;       /* queries for which vectors were fetched, and how many */
    struct dense_trace trace; /* of the last query */
};

struct bench {
    struct world world;
    const char *cache;
    bool big_peers, cells, prepare;
    size_t build_effort; /* of peers */
    uint64_t *filters[FILTERS];
    size_t allowed[FILTERS]; /* rows */
    float *bounds[FILTERS];
    struct measured ours[FILTERS];
};

static void use_filter(struct bench *b, size_t f)
{
    b->world.allowed = b->filters[f];
    memcpy(b->world.bound, b->bounds[f], b->world.n_queries * sizeof(float));
}

static void print_measured(const char *name, struct measured m)
{
    printf("  %-34s recall %.4f %9.1f us", name, m.recall, m.us);
    if (m.trace.rescored)
        printf("  last one: cells %zu, bits %zu, bytes %zu, floats %zu", m.trace.cells, m.trace.scanned, m.trace.rescored,
               m.trace.exact);
    if (m.asked)
        printf("; %zu queries fetched %zu vectors", m.asked, m.read);
    printf("\n");
}

/* ---- ours */

/* What MariaDB is asked for, from memory here. */
struct shelf {
    const struct world *world;
    size_t asked, read;
};

static err take(void *arg, const struct dense_hit *hits, size_t n, const float **vectors)
{
    struct shelf *s = arg;

    s->asked++;
    s->read += n;
    for (size_t i = 0; i < n; i++)
        vectors[i] = s->world->rows + (size_t)hits[i].row * DIM;
    return ERR_OK;
}

/* A whole search: the query's codes, too. */
static struct measured run_ours(const struct world *w, const struct codec *codec, const struct dense_part *part, const uint64_t *filter,
                                const struct dense_options *options)
{
    struct dense_source source = {part, filter, NULL};
    struct shelf *shelf = options->fetch_arg;
    struct arena *a = arena_new(ARENA_CAP);
    struct measured m = {.us = INFINITY};
    size_t good = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        double spent = 0;

        good = 0;
        *shelf = (struct shelf){.world = w};
        for (size_t i = 0; i < w->n_queries; i++) {
            struct code_query q;
            struct dense_result r;
            double begin = world_now_s();

            if (!codec_query(codec, a, w->queries + i * DIM, &q) || dense_search(a, &q, &source, 1, options, &r) != ERR_OK)
                exit(1);
            spent += world_now_s() - begin;
            for (size_t h = 0; h < r.n; h++)
                good += world_good(w, i, r.hits[h].row);
            m.trace = r.trace;
            arena_reset(a);
        }
        m.us = fmin(m.us, spent * 1e6 / (double)w->n_queries);
    }
    m.recall = (double)good / (double)(K * w->n_queries);
    m.asked = shelf->asked;
    m.read = shelf->read;
    arena_free(a);
    return m;
}

static struct dense_part *build(const struct world *w, const struct codec *codec, enum dense_keep keep)
{
    double begin = world_now_s();
    struct dense_part *p = dense_part_new(codec, w->n, keep);

    for (size_t i = 0; i < w->n; i++)
        if (!p || !dense_append(p, w->rows + i * DIM))
            exit(1);
    printf("  %-34s %.1f MB, %.0f bytes a row; insert %.2f us a row, build and delete 0\n",
           keep == DENSE_CODES ? "ours: codes" : "ours: codes and float32", (double)dense_bytes(p) * 1e-6,
           (double)dense_bytes(p) / (double)w->n, (world_now_s() - begin) * 1e6 / (double)w->n);
    return p;
}

static void measure_ours(struct bench *b, const struct codec *codec, const struct dense_part *part, const char *what)
{
    for (size_t f = 0; f < FILTERS; f++)
        for (int exact = 0; exact < 2; exact++) {
            struct shelf shelf;
            bool codes = dense_keeps(part) == DENSE_CODES, narrow = codes && b->allowed[f] <= DENSE_NARROW;
            struct dense_options options = { .k = K, .exact = exact, .sure = narrow && !exact ? K : 0,
                                             .fetch = narrow || (codes && exact) ? take : NULL, .fetch_arg = &shelf };
            struct measured m;
            char name[64];

            use_filter(b, f);
            m = run_ours(&b->world, codec, part, b->filters[f], &options);
            snprintf(name, sizeof name, "%s, %s%s", what, FILTER_NAMES[f], exact ? ", exact" : "");
            print_measured(name, m);
            if (b->ours[f].us <= 0 || (m.recall >= GOAL && (b->ours[f].recall < GOAL || m.us < b->ours[f].us)))
                b->ours[f] = m;
        }
}

static void bench_part(struct bench *b, const struct codec *codec, enum dense_keep keep)
{
    struct dense_part *part = build(&b->world, codec, keep), *in_cells;
    double begin;

    measure_ours(b, codec, part, keep == DENSE_CODES ? "codes" : "with float32");
    if (b->cells || b->world.n >= DENSE_CELLS_FROM) {
        begin = world_now_s();
        in_cells = dense_in_cells(part, NULL);
        if (!in_cells)
            exit(1);
        printf("  %-34s %zu, learned in %.1f s\n", "cells", dense_cells(in_cells), world_now_s() - begin);
        measure_ours(b, codec, in_cells, keep == DENSE_CODES ? "codes in cells" : "float32 in cells");
        dense_part_free(in_cells);
    }
    dense_part_free(part);
}

static void bench_ours(struct bench *b)
{
    struct codec *codec = codec_new(b->world.simd, DIM);

    bench_part(b, codec, DENSE_CODES);
    bench_part(b, codec, DENSE_VECTORS);
    codec_free(codec);
}

/* ---- peers */

static struct measured run_peer(const struct world *w, struct peer *p, bool *can)
{
    struct measured m = {.us = INFINITY};
    size_t good = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        double spent = 0;

        good = 0;
        for (size_t i = 0; i < w->n_queries; i++) {
            uint32_t rows[K];
            double begin = world_now_s();

            *can = peer_search(p, w->queries + i * DIM, K, w->allowed, rows);
            spent += world_now_s() - begin;
            if (!*can)
                return m;
            for (size_t h = 0; h < K; h++)
                good += rows[h] < w->n && world_good(w, i, rows[h]);
        }
        m.us = fmin(m.us, spent * 1e6 / (double)w->n_queries);
        if (spent > SLOW_S)
            break;
    }
    m.recall = (double)good / (double)(K * w->n_queries);
    return m;
}

/* The first effort that reaches the goal, or the last there is. false: it has no filters. */
static bool sweep_peer(const struct world *w, struct peer *p, const char *what, struct measured *m)
{
    static const size_t EFFORTS[] = {20, 40, 60, 80, 120, 160, 240, 320, 640, 1280};

    for (size_t e = 0; e < sizeof EFFORTS / sizeof EFFORTS[0]; e++) {
        bool has_knob = peer_effort(p, EFFORTS[e]), can;
        char name[64];

        *m = run_peer(w, p, &can);
        if (!can)
            return false;
        if (has_knob)
            snprintf(name, sizeof name, "%s, %s, %zu", peer_name(p), what, EFFORTS[e]);
        else
            snprintf(name, sizeof name, "%s, %s", peer_name(p), what);
        print_measured(name, *m);
        if (!has_knob || m->recall >= GOAL)
            return true;
    }
    return true;
}

static void change_peer(const struct world *w, struct peer *p)
{
    double begin = world_now_s();
    bool can = true;

    for (size_t i = 0; i < w->n_queries && can; i++)
        can = peer_insert(p, w->queries + i * DIM);
    if (can)
        printf("  %-34s %.1f us\n", "  insert into it", (world_now_s() - begin) * 1e6 / (double)w->n_queries);
    begin = world_now_s();
    for (size_t i = 0; i < w->n_queries && can; i++)
        can = peer_delete(p, (uint32_t)(i * 7 % w->n));
    if (can)
        printf("  %-34s %.1f us\n", "  delete from it", (world_now_s() - begin) * 1e6 / (double)w->n_queries);
    else
        printf("  %-34s no\n", "  delete from it");
}

static void bench_peer(struct bench *b, struct peer *p)
{
    printf("  %-34s built in %.1f s, %.1f MB\n", peer_name(p), peer_build_s(p), (double)peer_bytes(p) * 1e-6);
    for (size_t f = 0; f < FILTERS; f++) {
        const struct measured *ours = &b->ours[f];
        struct measured m;

        use_filter(b, f);
        if (!sweep_peer(&b->world, p, FILTER_NAMES[f], &m)) {
            printf("  %-34s no\n", "  filters");
            break;
        }
        printf("  → ours is %.2f× as fast at recall %.4f against %.4f (%s)\n", m.us / ours->us, ours->recall, m.recall,
               FILTER_NAMES[f]);
    }
    change_peer(&b->world, p);
}

static void bench_peers(struct bench *b)
{
    struct peer *p;

    for (size_t i = 0; (p = peer_new(i, b->world.rows, b->world.n, b->world.n_queries, DIM, b->build_effort, b->cache)) != NULL; i++) {
        bench_peer(b, p);
        peer_free(p);
    }
}

/* Only has the peers build what they keep in the cache. */
static void prepare_peers(const struct bench *b)
{
    struct peer *p;

    for (size_t i = 0; (p = peer_new(i, b->world.rows, b->world.n, b->world.n_queries, DIM, b->build_effort, b->cache)) != NULL; i++) {
        printf("  %-34s built in %.1f s\n", peer_name(p), peer_build_s(p));
        peer_free(p);
    }
}

/* ---- all of it */

static void bench_size(struct bench b, size_t n)
{
    b.world.n = n;
    b.world.n_queries = n > 200000 ? 100 : 200;
    world_get(&b.world);
    world_tell(&b.world);
    if (b.prepare) {
        prepare_peers(&b);
        world_done(&b.world);
        return;
    }
    b.filters[1] = world_some(b.world.n, 10);
    b.filters[2] = world_some(b.world.n, 100);
    for (size_t f = 0; f < FILTERS; f++) {
        b.bounds[f] = world_room(b.world.n_queries * sizeof(float));
        b.world.allowed = b.filters[f];
        b.allowed[f] = b.world.n / (size_t[]){1, 10, 100}[f];
        world_find_bounds(&b.world);
        memcpy(b.bounds[f], b.world.bound, b.world.n_queries * sizeof(float));
    }
    bench_ours(&b);
    if (peer_new && (b.big_peers || b.world.n < PEERS_FROM))
        bench_peers(&b);
    for (size_t f = 0; f < FILTERS; f++) {
        free(b.filters[f]);
        free(b.bounds[f]);
    }
    world_done(&b.world);
}

static int usage(void)
{
    fprintf(stderr, "usage: bench_vector [--sizes N,N…] [--rows FILE --queries FILE] [--cache FOLDER] [--big-peers] [--prepare] [--effort N]\n"
                    "                    [--cells]\n"
                    "The files are float32, %d numbers a vector. What peers have built is kept in the folder.\n"
                    "From a million rows on they are left out, unless --big-peers. --prepare: they build, and nothing is measured.\n"
                    "--effort: their efConstruction, 200 if it is not said; less builds sooner, and finds less.\n"
                    "--cells: where they are not worth it, too.\n",
            DIM);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = { { "rows", required_argument, NULL, 'r' },
                                             { "queries", required_argument, NULL, 'q' },
                                             { "cache", required_argument, NULL, 'c' },
                                             { "sizes", required_argument, NULL, 'n' },
                                             { "big-peers", no_argument, NULL, 'b' },
                                             { "prepare", no_argument, NULL, 'p' },
                                             { "effort", required_argument, NULL, 'f' },
                                             { "cells", no_argument, NULL, 'e' },
                                             { NULL, 0, NULL, 0 } };
    const char *sizes = "10000,100000";
    char why[256] = "";
    struct bench b = {.world.simd = simd_choose(getenv("LOCI_SIMD"), why, sizeof why), .build_effort = 200};
    int option;

    while ((option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1)
        switch (option) {
        case 'r': b.world.rows_path = optarg; break;
        case 'q': b.world.queries_path = optarg; break;
        case 'c': b.cache = optarg; break;
        case 'n': sizes = optarg; break;
        case 'b': b.big_peers = true; break;
        case 'p': b.prepare = b.big_peers = true; break;
        case 'f': b.build_effort = strtoul(optarg, NULL, 10); break;
        case 'e': b.cells = true; break;
        default: return usage();
        }
    if (!b.world.simd) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("kernels: %s\n", b.world.simd->name);
    for (char *end; *sizes; sizes = *end ? end + 1 : end)
        bench_size(b, strtoul(sizes, &end, 10));
    return 0;
}
