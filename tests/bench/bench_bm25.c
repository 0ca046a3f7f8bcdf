/* BM25 of ours beside SQLite's FTS5: time of a query, time to build, memory, over the same texts in one
   run; and how good it is alone on judged sets. usage: bench_bm25 ROWS QUERIES | bench_bm25 --quality KIND
   FOLDER… */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bm25_fts5.h"
#include "bm25_quality.h"
#include "segment.h"
#include "str.h"

enum { LINES_MAX = 1000000, K = 10, ROUNDS = 3 };

struct lines {
    char **at;
    size_t n;
};

/* Of the processor: the machine has other users. */
static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static struct lines read_lines(const char *path, size_t most)
{
    struct lines l = {calloc(LINES_MAX, sizeof *l.at), 0};
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    if (!in) {
        perror(path);
        exit(1);
    }
    while (l.n < most && (n = getline(&line, &cap, in)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        l.at[l.n++] = strdup(line);
    }
    free(line);
    fclose(in);
    return l;
}

static void free_lines(struct lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    free(l->at);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Of the best round for each query, so that other work on the machine counts little. */
struct times {
    double median, mean, p95;
};

static struct times times_of(double *best, size_t n)
{
    struct times t = {0, 0, 0};

    for (size_t i = 0; i < n; i++)
        t.mean += best[i] / (double)n;
    qsort(best, n, sizeof *best, by_size);
    t.median = best[n / 2];
    t.p95 = best[n * 95 / 100];
    return t;
}

/* ---- ours */

struct ours {
    struct sparse *index;
    struct uuid *ids;
    struct analyzer *z;
    struct arena *a;
    uint64_t *filter; /* one row in a hundred; NULL: all may be found */
};

static struct ours build_ours(const struct lines *rows)
{
    struct ours o = {.ids = calloc(rows->n + 1, sizeof *o.ids), .z = analyzer_new("english"), .a = arena_new(256u << 20)};
    struct sparse_builder *b = sparse_builder_new();

    for (size_t i = 0; i < rows->n; i++) {
        struct text_terms t = {.arena = o.a};

        analyze(o.z, TEXT_BODY, rows->at[i], strlen(rows->at[i]), 0, &t);
        sparse_builder_add(b, &t);
        arena_reset(o.a);
        for (size_t k = 0; k < 4; k++)
            o.ids[i].b[k] = (uint8_t)(i >> (24 - 8 * k));
    }
    o.index = sparse_builder_finish(b);
    return o;
}

static size_t search_ours(struct ours *o, const char *query)
{
    struct sparse_part part = {.index = o->index, .ids = o->ids, .filter = o->filter};
    struct sparse_hit hits[K];
    const struct sparse_query *q = sparse_query_parse(o->a, &o->z, 1, query, strlen(query));
    size_t n = sparse_top(sparse_search_new(o->a, q, &part, 1), K, hits);

    arena_reset(o->a);
    return n;
}

static void free_ours(struct ours *o)
{
    sparse_free(o->index);
    analyzer_free(o->z);
    arena_free(o->a);
    free(o->ids);
    free(o->filter);
}

/* ---- beside each other */

static struct times time_ours(struct ours *o, const struct lines *queries)
{
    double *best = calloc(queries->n, sizeof *best);
    struct times t;

    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < queries->n; i++) {
            double began = now_us(), took;

            search_ours(o, queries->at[i]);
            took = now_us() - began;
            best[i] = round == 0 || took < best[i] ? took : best[i];
        }
    t = times_of(best, queries->n);
    free(best);
    return t;
}

static struct times time_fts5(struct fts5 *f, const struct lines *queries)
{
    double *best = calloc(queries->n, sizeof *best);
    struct times t;

    for (size_t i = 0; i < queries->n; i++) {
        double began = now_us();

        fts5_search(f, queries->at[i], K);
        best[i] = now_us() - began;
    }
    t = times_of(best, queries->n);
    free(best);
    return t;
}

static void one_in_a_hundred(struct ours *o, size_t n)
{
    o->filter = calloc((n + 63) / 64, sizeof *o->filter);
    for (size_t i = 0; i < n; i += 100)
        o->filter[i / 64] |= 1ull << i % 64;
}

static void compare(const char *rows_path, const struct lines *queries, size_t size)
{
    struct lines rows = read_lines(rows_path, size);
    double began = now_us(), per_ours, per_fts5;
    struct ours ours = build_ours(&rows);
    struct fts5 *fts5;
    struct times of_ours, of_fts5, filtered;

    per_ours = (now_us() - began) / (double)rows.n;
    began = now_us();
    fts5 = fts5_build((const char *const *)rows.at, rows.n);
    per_fts5 = (now_us() - began) / (double)rows.n;
    of_ours = time_ours(&ours, queries);
    of_fts5 = time_fts5(fts5, queries);
    one_in_a_hundred(&ours, rows.n);
    filtered = time_ours(&ours, queries);
    printf("%zu texts, %zu questions, best %d\n", rows.n, queries->n, K);
    printf("            query us: mean  median     p95   build us/text   bytes/text\n");
    printf("  ours          %9.1f %7.1f %7.1f %15.2f %12.0f\n", of_ours.mean, of_ours.median, of_ours.p95, per_ours,
           (double)sparse_bytes(ours.index) / (double)rows.n);
    printf("  ours, 1 %% of it%8.1f %7.1f %7.1f\n", filtered.mean, filtered.median, filtered.p95);
    printf("  SQLite FTS5   %9.1f %7.1f %7.1f %15.2f %12.0f\n", of_fts5.mean, of_fts5.median, of_fts5.p95, per_fts5,
           (double)fts5_bytes(fts5) / (double)rows.n);
    printf("  ratio         %9.1f %7.1f %7.1f %15.2f\n", of_fts5.mean / of_ours.mean, of_fts5.median / of_ours.median,
           of_fts5.p95 / of_ours.p95, per_fts5 / per_ours);
    fts5_free(fts5);
    free_ours(&ours);
    free_lines(&rows);
}

int main(int n, char **arg)
{
    struct lines queries;

    if (n > 3 && strcmp(arg[1], "--quality") == 0)
        return bm25_quality(arg[2], (const char *const *)arg + 3, (size_t)n - 3);
    if (n != 3)
        return 2;
    queries = read_lines(arg[2], LINES_MAX);
    compare(arg[1], &queries, 10000);
    compare(arg[1], &queries, LINES_MAX);
    free_lines(&queries);
    return 0;
}
