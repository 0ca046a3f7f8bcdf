/* Judged sets: each document a node of a segment, as the index makes it; see bm25_quality.h. */
#include "bm25_quality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segment.h"
#include "str.h"

enum { K = 10, DOCUMENTS_MAX = 100000, JUDGED_MAX = 100000 };

struct judged {
    const char *query, *document;
};

struct set {
    struct arena *a;
    const char **ids; /* of documents, by row */
    size_t n;
    struct judged *judged;
    size_t n_judged;
    struct segment *segment;
    struct analyzer *z;
};

struct sums {
    double recall5, recall10, ndcg10;
    size_t queries;
};

static FILE *open_file(const char *folder, const char *name)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

static const char *str_of(const struct json *object, const char *name)
{
    const struct json *v = json_get(object, name);

    return json_is(v, JSON_STR) ? v->s : "";
}

/* Tells of each line; what it points to lives as long as the set. */
static void each_line(struct set *s, const char *folder, const char *file, void (*tell)(struct set *, struct json *, void *),
                      void *arg)
{
    FILE *in = open_file(folder, file);
    char *line = NULL;
    const char *why;
    size_t cap = 0;
    ssize_t n;

    while ((n = getline(&line, &cap, in)) > 0) {
        struct json *object;

        if (json_parse(s->a, line, (size_t)n, &object, &why) == JSON_OK)
            tell(s, object, arg);
    }
    free(line);
    fclose(in);
}

struct documents {
    struct segment_builder *b;
    const char *kind;
};

static void add_document(struct set *s, struct json *object, void *arg)
{
    struct documents *d = arg;
    struct index_row row = {.kind = d->kind, .title = str_of(object, "title"), .body = str_of(object, "text"), .attrs = object};

    if (s->n == DOCUMENTS_MAX)
        exit(1);
    for (size_t i = 0; i < 4; i++)
        row.id.b[i] = (uint8_t)(s->n >> (24 - 8 * i));
    s->ids[s->n++] = str_of(object, "id");
    segment_builder_add(d->b, &row);
}

static void read_judged(struct set *s, const char *folder)
{
    FILE *in = open_file(folder, "qrels.tsv");
    char query[1000], document[1000];
    int relevance;

    while (s->n_judged < JUDGED_MAX && fscanf(in, "%999[^\t]\t%999[^\t]\t%d\n", query, document, &relevance) == 3)
        if (relevance > 0)
            s->judged[s->n_judged++] = (struct judged){arena_strdup(s->a, query), arena_strdup(s->a, document)};
    fclose(in);
}

static bool is_relevant(const struct set *s, const char *query, const char *document)
{
    for (size_t i = 0; i < s->n_judged; i++)
        if (strcmp(s->judged[i].query, query) == 0 && strcmp(s->judged[i].document, document) == 0)
            return true;
    return false;
}

static void ask(struct set *s, struct json *object, void *arg)
{
    struct sums *sums = arg;
    const char *id = str_of(object, "id"), *text = str_of(object, "text");
    struct sparse_part part = {.index = s->segment->sparse, .ids = s->segment->ids};
    const struct sparse_query *q = sparse_query_parse(s->a, &s->z, 1, text, strlen(text));
    struct sparse_hit hits[K];
    size_t relevant = 0, n = sparse_top(sparse_search_new(s->a, q, &part, 1), K, hits);
    double at5 = 0, at10 = 0, gain = 0, ideal = 0;

    for (size_t i = 0; i < s->n_judged; i++)
        relevant += strcmp(s->judged[i].query, id) == 0;
    if (relevant == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        bool hit = is_relevant(s, id, s->ids[hits[i].row]);

        at5 += hit && i < 5;
        at10 += hit;
        gain += hit ? 1 / log2((double)i + 2) : 0;
    }
    for (size_t i = 0; i < relevant && i < K; i++)
        ideal += 1 / log2((double)i + 2);
    sums->recall5 += at5 / (double)relevant;
    sums->recall10 += at10 / (double)relevant;
    sums->ndcg10 += gain / ideal;
    sums->queries++;
}

static void measure(const char *kind, const char *folder, struct sums *sums)
{
    struct set s = {.a = arena_new((size_t)2 << 30), .z = analyzer_new("english")};
    struct documents d = {segment_builder_new(NULL), kind};

    s.ids = calloc(DOCUMENTS_MAX, sizeof *s.ids);
    s.judged = calloc(JUDGED_MAX, sizeof *s.judged);
    each_line(&s, folder, "corpus.jsonl", add_document, &d);
    s.segment = segment_build(d.b);
    segment_builder_free(d.b);
    read_judged(&s, folder);
    each_line(&s, folder, "queries.jsonl", ask, sums);
    segment_drop(s.segment);
    analyzer_free(s.z);
    free(s.ids);
    free(s.judged);
    arena_free(s.a);
}

int bm25_quality(const char *kind, const char *const *folders, size_t n)
{
    struct sums sums = {.queries = 0};
    const char *name = strrchr(folders[0], '/');
    double per_cent;

    for (size_t i = 0; i < n; i++)
        measure(kind, folders[i], &sums);
    per_cent = 100 / (double)sums.queries;
    printf("%-12s %-8s %5zu questions   Recall@5 %.1f   Recall@10 %.1f   nDCG@10 %.1f\n", name ? name + 1 : folders[0], kind,
           sums.queries, sums.recall5 * per_cent, sums.recall10 * per_cent, sums.ndcg10 * per_cent);
    return 0;
}
