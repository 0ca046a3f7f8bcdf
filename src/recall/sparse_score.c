/* Making a query ready over parts, the scores of given rows, and why they are what they are. */
#include "sparse_run.h"

#include <math.h>

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
static const uint64_t *filter_of(const struct sparse_search *s, size_t part)
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

static void find_norms(struct sparse_search *s)
{
    for (int g = 0; g < SPARSE_GROUPS; g++) {
        const uint64_t rows = s->totals.rows[g], length = s->totals.length[g];
        const double mean = rows && length ? (double)length / (double)rows : HALVES;
        const struct shape shape = SHAPES[g];

        s->norms[g].base = HALVES * shape.k1 * (1 - shape.b);
        s->norms[g].slope = HALVES * shape.k1 * shape.b / mean;
    }
}

static void find_weights(struct sparse_search *s, size_t clause)
{
    uint64_t with[SPARSE_GROUPS] = {0};

    for (size_t p = 0; p < s->n_parts; p++)
        scope_count(s->parts[p].scope, &s->lists[p * s->q->n + clause], with);
    for (int g = 0; g < SPARSE_GROUPS; g++) {
        const double n = (double)s->totals.rows[g], df = (double)with[g];
        const double idf = log(1 + (n - df + 0.5) / (df + 0.5));

        s->weights[clause][g] = (struct weight){
            .idf = idf,
            .scale = idf * s->q->clauses[clause].times * (SHAPES[g].k1 + 1) * SCORE_ONE,
            .with = with[g],
        };
    }
}

struct sparse_search *sparse_search_new(struct arena *a, const struct sparse_query *q,
                                        const struct sparse_part *parts, size_t n_parts)
{
    struct sparse_search *s = ARENA_NEW(a, struct sparse_search);

    *s = (struct sparse_search){.arena = a, .q = q, .parts = parts, .n_parts = n_parts};
    s->lists = ARENA_ARRAY(a, struct list, n_parts * q->n + 1);
    s->weights = arena_array(a, q->n + 1, sizeof *s->weights);
    s->filters = ARENA_ARRAY(a, const uint64_t *, n_parts + 1);
    for (size_t p = 0; p < n_parts; p++) {
        scope_totals(parts[p].index, parts[p].scope, &s->totals);
        for (size_t c = 0; c < q->n; c++)
            s->lists[p * q->n + c] = list_of_clause(a, parts[p].index, &q->clauses[c]);
    }
    find_norms(s);
    for (size_t c = 0; c < q->n; c++)
        find_weights(s, c);
    for (size_t p = 0; p < n_parts; p++)
        s->filters[p] = filter_of(s, p);
    return s;
}

const uint64_t *sparse_allowed(const struct sparse_search *s, uint32_t part)
{
    return s->filters[part];
}

/* ---- given rows */

void sparse_score(struct sparse_search *s, uint32_t part, const uint32_t *rows, size_t n, double *out)
{
    const struct sparse *index = s->parts[part].index;
    struct cursor *cursor = ARENA_NEW(s->arena, struct cursor);
    uint64_t *sums = ARENA_ARRAY(s->arena, uint64_t, n + 1);

    for (size_t c = 0; c < s->q->n; c++) {
        if (s->q->clauses[c].role == CLAUSE_EXCLUDED)
            continue;
        cursor_open(cursor, &s->lists[part * s->q->n + c]);
        for (size_t i = 0; i < n && cursor_seek(cursor, rows[i]); i++)
            if (cursor_row(cursor) == rows[i])
                sums[i] += row_contribution(s, index, c, rows[i], cursor_tf(cursor));
    }
    for (size_t i = 0; i < n; i++)
        out[i] = (double)sums[i] / SCORE_ONE;
}

double sparse_coverage(struct sparse_search *s, uint32_t part, uint32_t row, bool unknown_too)
{
    const unsigned g = row_group(s->parts[part].index, row);
    struct cursor *cursor = ARENA_NEW(s->arena, struct cursor);
    double has = 0, all = 0;

    for (size_t c = 0; c < s->q->n; c++) {
        const struct weight *w = &s->weights[c][g];

        if (s->q->clauses[c].role == CLAUSE_EXCLUDED || (w->with == 0 && !unknown_too))
            continue;
        all += w->idf;
        cursor_open(cursor, &s->lists[part * s->q->n + c]);
        if (cursor_seek(cursor, row) && cursor_row(cursor) == row)
            has += w->idf;
    }
    return all > 0 ? has / all : 0;
}

size_t sparse_explain(struct sparse_search *s, uint32_t part, uint32_t row, const struct sparse_share **out)
{
    const struct sparse *index = s->parts[part].index;
    const unsigned g = row_group(index, row);
    struct cursor *cursor = ARENA_NEW(s->arena, struct cursor);
    struct sparse_share *shares = ARENA_ARRAY(s->arena, struct sparse_share, s->q->n + 1);
    const double rows = (double)s->totals.rows[g];
    size_t n = 0;

    for (size_t c = 0; c < s->q->n; c++) {
        if (s->q->clauses[c].role == CLAUSE_EXCLUDED)
            continue;
        cursor_open(cursor, &s->lists[part * s->q->n + c]);
        if (!cursor_seek(cursor, row) || cursor_row(cursor) != row)
            continue;
        shares[n++] = (struct sparse_share){
            .clause = s->q->clauses[c].text,
            .documents = s->totals.rows[g],
            .with = s->weights[c][g].with,
            .idf = s->weights[c][g].idf,
            .frequency = (double)cursor_tf(cursor) / HALVES,
            .length = (double)row_length(index, row) / HALVES,
            .mean_length = rows > 0 ? (double)s->totals.length[g] / rows / HALVES : 0,
            .times = s->q->clauses[c].times,
            .score = (double)row_contribution(s, index, c, row, cursor_tf(cursor)) / SCORE_ONE,
        };
    }
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
    for (size_t c = 0; c < s->q->n; c++) {
        double n = 0, df = 0;

        if (!is_the_word(&s->q->clauses[c], hash))
            continue;
        for (int g = 0; g < SPARSE_GROUPS; g++) {
            n += (double)s->totals.rows[g];
            df += (double)s->weights[c][g].with;
        }
        return log(1 + (n - df + 0.5) / (df + 0.5));
    }
    return -1;
}
