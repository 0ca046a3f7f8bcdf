/* Making a query ready over parts, the scores of given rows, and why they are what they are. */
#include "sparse_run.h"

#include <stdlib.h>

/* ---- filters */

static uint64_t *bitmap_of(struct arena *a, const struct list *l)
{
    uint64_t *bits = ARENA_ARRAY(a, uint64_t, sparse_words(l->s) + 1);
    struct cursor *c = ARENA_NEW(a, struct cursor);

    for (cursor_open(c, l); !cursor_ended(c); cursor_next_block(c)) {
        cursor_load(c);
        for (uint32_t i = 0; i < c->n; i++)
            bits[c->rows[i] / 64] |= 1ull << c->rows[i] % 64;
    }
    return bits;
}

/* The rows of a part that may be found: its filter, without what the query excludes or lacks what it
   requires. */
static const uint64_t *sparse_score_filter_of(const struct sparse_search *s, size_t part)
{
    const struct sparse *index = s->parts[part].index;
    const size_t n = sparse_words(index);
    uint64_t *out = NULL;

    for (size_t c = 0; c < s->q->n; c++) {
        const enum clause_role role = s->q->clauses[c].role;
        const uint64_t *bits;

        if (role == CLAUSE_OPTIONAL)
            continue;
        if (!out) {
            out = ARENA_ARRAY(s->arena, uint64_t, n + 1);
            memset(out, 0xff, n * sizeof *out);
            if (s->parts[part].filter)
                memcpy(out, s->parts[part].filter, n * sizeof *out);
        }
        bits = bitmap_of(s->arena, &s->lists[part * s->q->n + c]);
        for (size_t i = 0; i < n; i++)
            out[i] &= role == CLAUSE_REQUIRED ? bits[i] : ~bits[i];
    }
    return out ? out : s->parts[part].filter;
}

/* ---- weights */

static void find_norm(struct sparse_search *s)
{
    const double mean = sparse_mean_length(s);

    s->norm.base = HALVES * SPARSE_K1 * SPARSE_LENGTH / (mean + SPARSE_LENGTH);
    s->norm.slope = SPARSE_K1 / (mean + SPARSE_LENGTH);
}

static uint64_t rows_with(struct sparse_search *s, size_t clause)
{
    uint64_t with = 0;

    for (size_t p = 0; p < s->n_parts; p++)
        with += scope_count(s->parts[p].scope, &s->lists[p * s->q->n + clause]);
    return with;
}

/* A question has about so many words that are meant. */
#define WORDS_MEANT 5.0
#define EARLIER 0.7 /* of what the last line says, what was said before it */

/* The evidence of a word that is meant with the probability rho is ln(1 + rho * odds): in a long sentence common words fade. */
static void find_weights(struct sparse_search *s)
{
    double known[SPARSE_SENTENCES] = {0};

    for (size_t c = 0; c < s->q->n; c++) {
        const struct sparse_clause *clause = &s->q->clauses[c];

        s->weights[c].with = clause->first < c ? s->weights[clause->first].with : rows_with(s, c);
        known[clause->sentence] += clause->role != CLAUSE_EXCLUDED && s->weights[c].with > 0;
    }
    for (size_t c = 0; c < s->q->n; c++) {
        struct weight *w = &s->weights[c];
        const double df = (double)w->with, odds = ((double)s->totals.rows - df + 0.5) / (df + 0.5);
        const double n = known[s->q->clauses[c].sentence];

        w->rarity = log(1 + odds);
        w->idf = log(1 + (n > WORDS_MEANT ? WORDS_MEANT / n : 1) * odds);
        w->scale = w->idf * (SPARSE_K1 + 1) * SCORE_ONE * (s->q->earlier[s->q->clauses[c].sentence] ? EARLIER : 1);
    }
}

static int compare_title_words(const void *a, const void *b)
{
    uint32_t x = ((const struct title_word *)a)->hash, y = ((const struct title_word *)b)->hash;

    return (x > y) - (x < y);
}

static int compare_by_worth(const void *a, const void *b)
{
    double x = ((const struct title_word *)a)->idf, y = ((const struct title_word *)b)->idf;
    int order = compare_title_words(a, b);

    return order ? order : (x < y) - (x > y);
}

/* Every form of each word, as far as it is believed where that is most. */
static void find_title_words(struct sparse_search *s)
{
    size_t most = 0, kept = 0;

    for (size_t c = 0; c < s->q->n; c++)
        most += s->q->clauses[c].words[0].n_forms;
    s->title_words = ARENA_ARRAY(s->arena, struct title_word, most + 1);
    for (size_t c = 0; c < s->q->n; c++) {
        const struct sparse_clause *clause = &s->q->clauses[c];
        const struct sparse_word *w = clause->words;

        for (size_t i = 0; i < w->n_forms && clause->n_words == 1 && clause->role != CLAUSE_EXCLUDED && !w->prefix; i++)
            s->title_words[s->n_title_words++] =
                (struct title_word){term_hash(w->forms[i].p, w->forms[i].n), s->weights[c].idf};
    }
    if (s->n_title_words)
        qsort(s->title_words, s->n_title_words, sizeof *s->title_words, compare_by_worth);
    for (size_t i = 0; i < s->n_title_words; i++)
        if (!kept || s->title_words[i].hash != s->title_words[kept - 1].hash)
            s->title_words[kept++] = s->title_words[i];
    s->n_title_words = kept;
}

struct sparse_search *sparse_search_new(struct arena *a, const struct sparse_query *q,
                                        const struct sparse_part *parts, size_t n_parts)
{
    struct sparse_search *s = ARENA_NEW(a, struct sparse_search);

    *s = (struct sparse_search){.arena = a, .q = q, .parts = parts, .n_parts = n_parts};
    s->lists = ARENA_ARRAY(a, struct list, n_parts * q->n + 1);
    s->weights = ARENA_ARRAY(a, struct weight, q->n + 1);
    s->filters = ARENA_ARRAY(a, const uint64_t *, n_parts + 1);
    for (size_t p = 0; p < n_parts; p++) {
        scope_totals(parts[p].index, parts[p].scope, &s->totals);
        for (size_t c = 0; c < q->n; c++)
            s->lists[p * q->n + c] = q->clauses[c].first < c ? s->lists[p * q->n + q->clauses[c].first]
                                                             : list_of_clause(a, parts[p].index, &q->clauses[c]);
    }
    find_norm(s);
    find_weights(s);
    find_title_words(s);
    for (size_t p = 0; p < n_parts; p++)
        s->filters[p] = sparse_score_filter_of(s, p);
    return s;
}

const uint64_t *sparse_allowed(const struct sparse_search *s, uint32_t part)
{
    return s->filters[part];
}

/* ---- given rows */

/* What a title says by being all there is, beyond its words one by one. */
#define TITLE_STEEP 4

static uint32_t title_has(const struct sparse_search *s, const struct sparse *index, uint32_t row, double *idf)
{
    uint32_t has = 0;

    *idf = 0;
    for (uint32_t i = index->title_at[row]; i < index->title_at[row + 1]; i++) {
        const struct title_word key = {.hash = index->titles[i]};
        const struct title_word *w =
            bsearch(&key, s->title_words, s->n_title_words, sizeof key, compare_title_words);

        *idf += w ? w->idf : 0;
        has += w != NULL;
    }
    return has;
}

uint64_t score_title(const struct sparse_search *s, uint32_t part, uint32_t row)
{
    const struct sparse *index = s->parts[part].index;
    double idf, share;
    const uint32_t has = title_has(s, index, row, &idf);

    if (!has)
        return 0;
    share = (double)has / (double)(index->title_at[row + 1] - index->title_at[row]);
    for (int i = 0; i < TITLE_STEEP; i++)
        idf *= share;
    return (uint64_t)(int64_t)(idf * SCORE_ONE);
}

/* Sums by sentence of n rows in ascending order. */
static uint64_t *sum_rows(struct sparse_search *s, uint32_t part, const uint32_t *rows, size_t n)
{
    const size_t k = s->q->n_sentences;
    struct cursor *cursor = ARENA_NEW(s->arena, struct cursor);
    uint64_t *sums = ARENA_ARRAY(s->arena, uint64_t, n * k + 1);

    for (size_t c = 0; c < s->q->n; c++) {
        const struct sparse_clause *clause = &s->q->clauses[c];

        if (clause->role == CLAUSE_EXCLUDED)
            continue;
        cursor_open(cursor, &s->lists[part * s->q->n + c]);
        for (size_t i = 0; i < n && cursor_seek(cursor, rows[i]); i++)
            if (cursor_row(cursor) == rows[i])
                sums[i * k + clause->sentence] += row_contribution(s, s->parts[part].index, c, rows[i], cursor_tf(cursor));
    }
    return sums;
}

void sparse_score(struct sparse_search *s, uint32_t part, const uint32_t *rows, size_t n, double *out)
{
    const uint64_t *sums = sum_rows(s, part, rows, n);

    for (size_t i = 0; i < n; i++) {
        const uint64_t score = score_join(sums + i * s->q->n_sentences, s->q->n_sentences);

        out[i] = (double)(score ? score + score_title(s, part, rows[i]) : 0) / SCORE_ONE;
    }
}

/* Words of titles stand for more, and are not what was said. */
void sparse_said(struct sparse_search *s, uint32_t part, const uint32_t *rows, size_t n, double *out)
{
    const struct sparse *index = s->parts[part].index;
    struct cursor *cursor = ARENA_NEW(s->arena, struct cursor);

    memset(out, 0, n * sizeof *out);
    for (size_t c = 0; c < s->q->n; c++) {
        if (s->q->clauses[c].n_words > 1 || s->q->clauses[c].first < c || s->q->clauses[c].role == CLAUSE_EXCLUDED)
            continue;
        cursor_open(cursor, &s->lists[part * s->q->n + c]);
        for (size_t i = 0; i < n && cursor_seek(cursor, rows[i]); i++)
            if (cursor_row(cursor) == rows[i])
                out[i] += cursor_tf(cursor);
    }
    for (size_t i = 0; i < n; i++) {
        const double title = FIELD_HALVES[TEXT_TITLE], words = index->title_at[rows[i] + 1] - index->title_at[rows[i]];
        const double body = index->lengths[rows[i]] - title * words;
        double idf;

        out[i] = body > 0 ? (out[i] - title * title_has(s, index, rows[i], &idf)) / body : 0;
    }
}

double sparse_length(const struct sparse_search *s, uint32_t part, uint32_t row)
{
    return (double)s->parts[part].index->lengths[row] / HALVES;
}

double sparse_mean_length(const struct sparse_search *s)
{
    return s->totals.rows ? (double)s->totals.length / (double)s->totals.rows / HALVES : 0;
}

size_t sparse_sentences(const struct sparse_search *s)
{
    return s->q->n_sentences;
}

/* A sentence that says little is not what was asked. */
#define SAYS_ENOUGH 0.5 /* of what the one that says most does */

double sparse_coverage(struct sparse_search *s, uint32_t part, uint32_t row)
{
    struct cursor *cursor = ARENA_NEW(s->arena, struct cursor);
    double has[SPARSE_SENTENCES] = {0}, all[SPARSE_SENTENCES] = {0}, most = 0, best = 0;

    for (size_t c = 0; c < s->q->n; c++) {
        const uint32_t k = s->q->clauses[c].sentence;

        if (s->q->clauses[c].role == CLAUSE_EXCLUDED)
            continue;
        all[k] += s->weights[c].rarity;
        cursor_open(cursor, &s->lists[part * s->q->n + c]);
        if (cursor_seek(cursor, row) && cursor_row(cursor) == row)
            has[k] += s->weights[c].rarity;
        most = fmax(most, all[k]);
    }
    for (size_t k = 0; k < s->q->n_sentences; k++)
        if (all[k] > 0 && all[k] >= SAYS_ENOUGH * most)
            best = fmax(best, has[k] / all[k]);
    return best;
}

static struct sparse_share share_of(const struct sparse_search *s, uint32_t part, uint32_t row, size_t clause, uint32_t tf)
{
    return (struct sparse_share){
        .clause = s->q->clauses[clause].text,
        .documents = s->totals.rows,
        .with = s->weights[clause].with,
        .idf = s->weights[clause].idf,
        .frequency = (double)tf / HALVES,
        .length = sparse_length(s, part, row),
        .mean_length = sparse_mean_length(s),
        .score = (double)row_contribution(s, s->parts[part].index, clause, row, tf) / SCORE_ONE,
    };
}

/* A sentence's part of the root of all squares is its own square. */
size_t sparse_explain(struct sparse_search *s, uint32_t part, uint32_t row, const struct sparse_share **out)
{
    struct cursor *cursor = ARENA_NEW(s->arena, struct cursor);
    struct sparse_share *shares = ARENA_ARRAY(s->arena, struct sparse_share, s->q->n + 2);
    const uint64_t *sums = sum_rows(s, part, &row, 1);
    const double all = (double)score_join(sums, s->q->n_sentences), title = (double)score_title(s, part, row) / SCORE_ONE;
    size_t n = 0;

    for (size_t c = 0; c < s->q->n; c++) {
        if (s->q->clauses[c].role == CLAUSE_EXCLUDED)
            continue;
        cursor_open(cursor, &s->lists[part * s->q->n + c]);
        if (!cursor_seek(cursor, row) || cursor_row(cursor) != row)
            continue;
        shares[n] = share_of(s, part, row, c, cursor_tf(cursor));
        if (s->q->n_sentences > 1)
            shares[n].score *= (double)sums[s->q->clauses[c].sentence] / all;
        n++;
    }
    if (n && title > 0)
        shares[n++] = (struct sparse_share){.clause = "title", .documents = s->totals.rows, .frequency = 1, .score = title};
    *out = shares;
    return n;
}

static bool is_the_word(const struct sparse_clause *clause, uint32_t hash)
{
    const struct sparse_word *w = clause->words;

    for (size_t i = 0; clause->n_words == 1 && i < w->n_forms; i++)
        if (term_hash(w->forms[i].p, w->forms[i].n) == hash)
            return true;
    return false;
}

double sparse_rarity(const struct sparse_search *s, uint32_t hash)
{
    for (size_t c = 0; c < s->q->n; c++)
        if (is_the_word(&s->q->clauses[c], hash))
            return s->weights[c].rarity;
    return -1;
}
