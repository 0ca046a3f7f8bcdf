/* Words over all segments of a snapshot; see keyword.h. */
#include "keyword.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "language.h"
#include "recall_tools.h"
#include "sparse.h"

struct keyword {
    struct ctx *c;
    const struct snapshot *in;
    struct sparse_part *parts; /* one for each segment that has postings */
    uint32_t *segment;         /* of each part */
    uint32_t *part;            /* of each segment; UINT32_MAX: none */
    size_t n_parts;
    struct arena *own; /* of the search; NULL once it has ended */
    struct sparse_search *search;
};

static void drop_scope(void *scope)
{
    sparse_scope_drop(scope);
}

static void add_part(struct keyword *q, size_t segment, const struct filter *counts, const struct filter *wanted)
{
    const struct segment *s = q->in->segments[segment];
    size_t word = q->in->base[segment] / 64;
    struct sparse_part *p = &q->parts[q->n_parts];

    q->part[segment] = UINT32_MAX;
    if (!s->sparse)
        return;
    *p = (struct sparse_part){.index = s->sparse, .filter = wanted->bits + word, .ids = s->ids};
    p->scope = sparse_scope_of(s->sparse, counts->bits + word);
    arena_defer(q->own, drop_scope, p->scope);
    q->segment[q->n_parts] = (uint32_t)segment;
    q->part[segment] = (uint32_t)q->n_parts++;
}

#define LANGUAGES_ASKED 4 /* of a query: each costs as much as the first */

typedef const struct sparse_query *(*query_reader)(struct arena *, struct analyzer *const *, size_t, const char *, size_t);

/* In the languages of what the caller may read. */
static const struct sparse_query *parse(struct ctx *c, const struct snapshot *s, const struct filter *counts, query_reader read,
                                        const char *text)
{
    struct recall_tools *tools = c->app->recall_tools;
    struct analyzer *z[LANGUAGES_ASKED];
    const struct sparse_query *q;
    uint8_t languages[LANGUAGES];
    size_t n = language_of_rows(s, counts->bits, languages);

    n = n < LANGUAGES_ASKED ? n : LANGUAGES_ASKED;
    for (size_t i = 0; i < n; i++)
        z[i] = recall_tools_analyzer(tools, languages[i]);
    q = read(c->arena, z, n, text, strlen(text));
    for (size_t i = 0; i < n; i++)
        recall_tools_give_back(tools, languages[i], z[i]);
    return q;
}

/* More than any query can need: a dozen of its clauses may each stand for a list of all rows, put together of others. */
#define SEARCH_BYTES ((size_t)1 << 30)
#define SEARCH_BYTES_A_ROW 2048u

void keyword_end(struct keyword *q)
{
    if (q && q->own)
        arena_free(q->own);
    if (q)
        q->own = NULL;
}

static void end_search(void *q)
{
    keyword_end(q);
}

static struct keyword *keyword_own_begin(struct ctx *c, const struct snapshot *s, const struct filter *counts, const struct filter *wanted,
                             const struct sparse_query *parsed)
{
    struct keyword *q = ARENA_NEW(c->arena, struct keyword);

    *q = (struct keyword){.c = c, .in = s, .own = arena_new(SEARCH_BYTES + (size_t)s->n_rows * SEARCH_BYTES_A_ROW)};
    arena_defer(c->arena, end_search, q);
    q->parts = ARENA_ARRAY(c->arena, struct sparse_part, s->n_segments + 1);
    q->segment = ARENA_ARRAY(c->arena, uint32_t, s->n_segments + 1);
    q->part = ARENA_ARRAY(c->arena, uint32_t, s->n_segments + 1);
    for (size_t i = 0; i < s->n_segments; i++)
        add_part(q, i, counts, wanted);
    q->search = sparse_search_new(q->own, parsed, q->parts, q->n_parts);
    return q;
}

struct keyword *keyword_begin(struct ctx *c, const struct snapshot *s, const struct filter *counts, const struct filter *wanted,
                              const char *query)
{
    return keyword_own_begin(c, s, counts, wanted, parse(c, s, counts, sparse_query_parse, query));
}

struct keyword *keyword_begin_text(struct ctx *c, const struct snapshot *s, const struct filter *counts,
                                   const struct filter *wanted, const char *text)
{
    return keyword_own_begin(c, s, counts, wanted, parse(c, s, counts, sparse_query_words, text));
}

static bool demands(const struct sparse_query *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (q->clauses[i].role != CLAUSE_OPTIONAL)
            return true;
    return false;
}

void keyword_narrow(struct ctx *c, const struct snapshot *s, const struct filter *counts, const char *query,
                    struct filter *wanted)
{
    const struct sparse_query *parsed;
    struct keyword *q;
    uint64_t *bits;

    if (!strpbrk(query, "+-") && !strstr(query, "−"))
        return;
    parsed = parse(c, s, counts, sparse_query_parse, query);
    if (!demands(parsed))
        return;
    q = keyword_own_begin(c, s, counts, wanted, parsed);
    bits = ARENA_ARRAY(c->arena, uint64_t, wanted->n_words + 1);
    wanted->count = 0;
    for (uint32_t p = 0; p < q->n_parts; p++) {
        uint32_t segment = q->segment[p], from = s->base[segment] / 64;
        const uint64_t *allowed = sparse_allowed(q->search, p);

        for (uint32_t w = 0; w < (s->segments[segment]->n + 63) / 64; w++) {
            bits[from + w] = allowed[w];
            wanted->count += (size_t)__builtin_popcountll(allowed[w]);
        }
    }
    wanted->bits = bits;
    keyword_end(q);
}

void keyword_find(struct keyword *q, size_t k, struct keyword_hits *out)
{
    struct sparse_hit *hits = ARENA_ARRAY(q->c->arena, struct sparse_hit, k + 1);

    out->n = q->n_parts ? sparse_top(q->search, k, hits) : 0;
    out->at = ARENA_ARRAY(q->c->arena, struct scored, out->n + 1);
    for (size_t i = 0; i < out->n; i++)
        out->at[i] = (struct scored){q->in->base[q->segment[hits[i].part]] + hits[i].row, (float)hits[i].score};
}

/* ---- given rows ----------------------------------------------------------------------------------------- */

struct asked {
    uint32_t row;
    size_t place; /* in the list */
};

static int by_row(const void *a, const void *b)
{
    uint32_t x = ((const struct asked *)a)->row, y = ((const struct asked *)b)->row;

    return x < y ? -1 : x > y;
}

typedef void (*rows_judge)(struct sparse_search *, uint32_t, const uint32_t *, size_t, double *);

/* Rows that lie in one segment. */
static void judge_part(struct keyword *q, uint32_t segment, const struct asked *asked, size_t n, rows_judge judge, struct scored *list)
{
    uint32_t *rows;
    double *scores;

    if (q->part[segment] == UINT32_MAX)
        return;
    rows = ARENA_ARRAY(q->c->arena, uint32_t, n);
    scores = ARENA_ARRAY(q->c->arena, double, n);
    for (size_t i = 0; i < n; i++)
        rows[i] = asked[i].row - q->in->base[segment];
    judge(q->search, q->part[segment], rows, n, scores);
    for (size_t i = 0; i < n; i++)
        list[asked[i].place].score = (float)scores[i];
}

static void judge_rows(struct keyword *q, rows_judge judge, struct scored *list, size_t n)
{
    struct asked *asked = ARENA_ARRAY(q->c->arena, struct asked, n + 1);

    for (size_t i = 0; i < n; i++) {
        list[i].score = 0;
        asked[i] = (struct asked){list[i].row, i};
    }
    qsort(asked, n, sizeof *asked, by_row);
    for (size_t i = 0, end; i < n; i = end) {
        uint32_t segment = snapshot_segment(q->in, asked[i].row);

        for (end = i + 1; end < n && snapshot_segment(q->in, asked[end].row) == segment;)
            end++;
        judge_part(q, segment, asked + i, end - i, judge, list);
    }
}

void keyword_score(struct keyword *q, struct scored *list, size_t n)
{
    judge_rows(q, sparse_score, list, n);
}

void keyword_said(struct keyword *q, struct scored *list, size_t n)
{
    judge_rows(q, sparse_said, list, n);
}

double keyword_coverage(struct keyword *q, uint32_t row)
{
    uint32_t segment = snapshot_segment(q->in, row);

    return q->part[segment] == UINT32_MAX ? 0 : sparse_coverage(q->search, q->part[segment], row - q->in->base[segment]);
}

double keyword_length(const struct keyword *q, uint32_t row)
{
    uint32_t segment = snapshot_segment(q->in, row);

    return q->part[segment] == UINT32_MAX ? 0 : sparse_length(q->search, q->part[segment], row - q->in->base[segment]);
}

double keyword_mean_length(const struct keyword *q)
{
    return sparse_mean_length(q->search);
}

size_t keyword_sentences(const struct keyword *q)
{
    return sparse_sentences(q->search);
}

struct json *keyword_explain(struct keyword *q, uint32_t row)
{
    struct arena *a = q->c->arena;
    uint32_t segment = snapshot_segment(q->in, row);
    struct json *all = json_arr(a);
    const struct sparse_share *shares;
    size_t n = 0;

    if (q->part[segment] != UINT32_MAX)
        n = sparse_explain(q->search, q->part[segment], row - q->in->base[segment], &shares);
    for (size_t i = 0; i < n; i++) {
        struct json *o = json_obj(a);

        json_set_str(a, o, "term", shares[i].clause);
        json_set_int(a, o, "nodes", (int64_t)shares[i].with);
        json_set(a, o, "idf", json_num(a, shares[i].idf));
        json_set(a, o, "frequency", json_num(a, shares[i].frequency));
        json_set(a, o, "score", json_num(a, shares[i].score));
        json_push(all, o);
    }
    return all;
}

double keyword_rarity(const struct keyword *q, uint32_t hash)
{
    return sparse_rarity(q->search, hash);
}
