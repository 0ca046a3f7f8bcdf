/* BM25 against an oracle that reads every document for every query: the same rows, in the same order, with
   the same scores, however documents are spread over segments, whatever is filtered, hidden or merged. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "english.h"
#include "sparse_impl.h"

#define ROWS_MAX 6000
#define PARTS_MAX 8
#define SCORE_ONE 4294967296.0 /* scores are multiples of its inverse */

static uint64_t random_state = 42;

static uint32_t rnd(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % below);
}

/* ---- a corpus and its segments */

struct document {
    struct text_terms terms;
    struct uuid id;
    bool counts, wanted; /* in the scope, in the filter */
    uint32_t length;     /* in halves */
};

struct corpus {
    struct arena *arena;
    struct document *docs;
    uint32_t n;
    struct sparse_part parts[PARTS_MAX];
    size_t n_parts;
    uint32_t first[PARTS_MAX + 1]; /* document of each part's row 0 */
};

static struct corpus *corpus_new(void)
{
    struct arena *a = arena_new(2048u << 20);
    struct corpus *c = ARENA_NEW(a, struct corpus);

    c->arena = a;
    c->docs = ARENA_ARRAY(a, struct document, ROWS_MAX);
    return c;
}

static struct document *add_document(struct corpus *c, const char *title, const char *body, const char *tags)
{
    static const uint32_t HALVES_OF[] = {[TEXT_BODY] = 2, [TEXT_TITLE] = 4, [TEXT_TAGS] = 3};
    struct document *d = &c->docs[c->n++];

    assert_true(c->n <= ROWS_MAX);
    d->terms.arena = c->arena;
    d->counts = d->wanted = true;
    for (size_t i = 0; i < sizeof d->id.b; i++)
        d->id.b[i] = (uint8_t)rnd(256);
    analyze(english, TEXT_TITLE, title, strlen(title), 0, &d->terms);
    analyze(english, TEXT_BODY, body, strlen(body), 0, &d->terms);
    analyze(english, TEXT_TAGS, tags, strlen(tags), 0, &d->terms);
    for (size_t i = 0; i < d->terms.n; i++)
        if (!(d->terms.at[i].flags & (TERM_STOP | TERM_EXTRA)))
            d->length += HALVES_OF[d->terms.at[i].field];
    return d;
}

static uint64_t *bits_of(struct corpus *c, uint32_t first, uint32_t end, size_t member)
{
    uint64_t *bits = ARENA_ARRAY(c->arena, uint64_t, (end - first) / 64 + 1);

    for (uint32_t i = first; i < end; i++)
        if (*(const bool *)((const char *)&c->docs[i] + member))
            bits[(i - first) / 64] |= 1ull << (i - first) % 64;
    return bits;
}

static void free_parts(struct corpus *c)
{
    for (size_t p = 0; p < c->n_parts; p++) {
        struct sparse *index = (struct sparse *)(uintptr_t)c->parts[p].index;

        sparse_scope_drop(c->parts[p].scope);
        sparse_free(index);
    }
    c->n_parts = 0;
}

static void corpus_free(struct corpus *c)
{
    free_parts(c);
    arena_free(c->arena);
}

static struct sparse *build(const struct corpus *c, uint32_t first, uint32_t end)
{
    struct sparse_builder *b = sparse_builder_new();

    for (uint32_t i = first; i < end; i++)
        sparse_builder_add(b, &c->docs[i].terms);
    assert_true(sparse_builder_bytes(b) > 0);
    return sparse_builder_finish(b);
}

/* Takes scope and filter from the documents. */
static void set_part(struct corpus *c, size_t p, struct sparse *index, uint32_t first, uint32_t end)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, end - first + 1);
    bool hidden = false, unwanted = false;

    for (uint32_t i = first; i < end; i++) {
        ids[i - first] = c->docs[i].id;
        hidden |= !c->docs[i].counts;
        unwanted |= !c->docs[i].wanted;
    }
    assert_int_equal(sparse_rows(index), end - first);
    c->first[p] = first;
    c->parts[p] = (struct sparse_part){
        .index = index,
        .scope = hidden ? sparse_scope_of(index, bits_of(c, first, end, offsetof(struct document, counts))) : NULL,
        .filter = unwanted ? bits_of(c, first, end, offsetof(struct document, wanted)) : NULL,
        .ids = ids,
    };
}

/* Spreads the documents over n segments, of one row the first. */
static void set_parts(struct corpus *c, size_t n)
{
    uint32_t first = 0;

    free_parts(c);
    for (size_t p = 0; p < n; p++) {
        uint32_t end = p + 1 == n ? c->n : p == 0 ? 1 : first + (c->n - first) / 2;

        set_part(c, p, build(c, first, end), first, end);
        first = end;
    }
    c->n_parts = n;
}

/* ---- the oracle */

static const double WEIGHT[] = {[TEXT_BODY] = 1, [TEXT_TITLE] = 2, [TEXT_TAGS] = 1.5};

static bool is_form(const struct sparse_word *w, const struct text_term *t)
{
    for (size_t i = 0; i < w->n_forms; i++) {
        bool prefix = w->prefix && i == 0;

        if ((prefix ? t->length >= w->forms[i].n : t->length == w->forms[i].n) &&
            memcmp(t->text, w->forms[i].p, w->forms[i].n) == 0)
            return true;
    }
    return false;
}

static bool stands_at(const struct document *d, const struct sparse_word *w, unsigned field, uint32_t position)
{
    for (size_t i = 0; i < d->terms.n; i++)
        if (d->terms.at[i].field == field && d->terms.at[i].position == position && is_form(w, &d->terms.at[i]))
            return true;
    return false;
}

/* How often the clause is in the document, weighted. */
static double frequency(const struct document *d, const struct sparse_clause *c)
{
    double tf = 0;

    for (size_t i = 0; i < d->terms.n; i++) {
        const struct text_term *t = &d->terms.at[i];
        bool all = is_form(&c->words[0], t) && (!c->title || t->field == TEXT_TITLE);

        for (size_t k = 1; all && k < c->n_words; k++)
            all = stands_at(d, &c->words[k], t->field, t->position + c->words[k].offset);
        /* of two forms at one place, a phrase begins with the first */
        for (size_t k = 0; all && c->n_words > 1 && k < i; k++)
            all = !(d->terms.at[k].field == t->field && d->terms.at[k].position == t->position &&
                    is_form(&c->words[0], &d->terms.at[k]));
        tf += all ? WEIGHT[t->field] : 0;
    }
    return tf;
}

struct scored {
    double score;
    uint32_t doc;
};

static const struct corpus *sorting;

static int by_score(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return uuid_cmp(sorting->docs[x->doc].id, sorting->docs[y->doc].id);
}

/* What a word that is meant with the probability 5/n is worth, by sentence. */
static double evidence(const struct corpus *c, const struct sparse_query *q, size_t clause, const double *with)
{
    double known = 0, rows = 0;

    for (uint32_t i = 0; i < c->n; i++)
        rows += c->docs[i].counts;
    for (size_t k = 0; k < q->n; k++)
        known += q->clauses[k].sentence == q->clauses[clause].sentence && q->clauses[k].role != CLAUSE_EXCLUDED && with[k] > 0;
    return log(1 + fmin(1, 5 / known) * (rows - with[clause] + 0.5) / (with[clause] + 0.5));
}

static bool is_title_word(const struct sparse_clause *clause, const struct text_term *t)
{
    return clause->n_words == 1 && clause->role != CLAUSE_EXCLUDED && !clause->words[0].prefix && is_form(&clause->words[0], t);
}

/* The rarity of the words of the title that the query has, times the fourth power of their share of the title. */
static double of_title(const struct document *d, const struct sparse_query *q, const double *idf)
{
    double has = 0, all = 0, sum = 0;

    for (size_t i = 0; i < d->terms.n; i++) {
        const struct text_term *t = &d->terms.at[i];
        bool again = t->field != TEXT_TITLE || (t->flags & (TERM_STOP | TERM_EXTRA));
        double most = 0;

        for (size_t j = 0; j < i && !again; j++)
            again = d->terms.at[j].field == TEXT_TITLE &&
                    !(d->terms.at[j].flags & (TERM_STOP | TERM_EXTRA)) && d->terms.at[j].hash == t->hash;
        if (again)
            continue;
        for (size_t k = 0; k < q->n; k++)
            most = is_title_word(&q->clauses[k], t) ? fmax(most, idf[k]) : most;
        all++;
        has += most > 0;
        sum += most;
    }
    return all > 0 ? sum * pow(has / all, 4) : 0;
}

/* The scores of all documents: 0 where nothing matches; rank only those that may be found. Titles are added to the scores, and to
 * those of the best k, which they order. */
static size_t oracle(const struct corpus *c, const struct sparse_query *q, double *scores, struct scored *ranking, size_t best)
{
    double rows = 0, length = 0, *with = calloc(q->n + 1, sizeof *with), *idf = calloc(q->n + 1, sizeof *idf);
    double *tfs = calloc((q->n + 1) * (c->n + 1), sizeof *tfs);
    bool *barred = calloc(c->n + 1, sizeof *barred);
    size_t n = 0;

    for (uint32_t i = 0; i < c->n; i++) {
        rows += c->docs[i].counts;
        length += c->docs[i].counts ? c->docs[i].length / 2.0 : 0;
    }
    for (size_t k = 0; k < q->n; k++)
        for (uint32_t i = 0; i < c->n; i++) {
            double tf = tfs[k * c->n + i] = frequency(&c->docs[i], &q->clauses[k]);

            with[k] += tf > 0 && c->docs[i].counts;
            barred[i] |= q->clauses[k].role == CLAUSE_REQUIRED ? tf == 0 : q->clauses[k].role == CLAUSE_EXCLUDED && tf > 0;
        }
    for (size_t k = 0; k < q->n; k++)
        idf[k] = evidence(c, q, k, with);
    for (uint32_t i = 0; i < c->n; i++) {
        double norm = 0.9 * (c->docs[i].length / 2.0 + 30) / ((rows > 0 ? length / rows : 0) + 30), sums[SPARSE_SENTENCES] = {0};

        for (size_t k = 0; k < q->n; k++)
            if (q->clauses[k].role != CLAUSE_EXCLUDED)
                sums[q->clauses[k].sentence] += idf[k] * tfs[k * c->n + i] * 1.9 / (tfs[k * c->n + i] + norm);
        scores[i] = 0;
        for (size_t k = 0; k < q->n_sentences; k++)
            scores[i] += sums[k] * sums[k] * (q->earlier[k] ? 0.49 : 1); /* 0.7 squared */
        scores[i] = sqrt(scores[i]);
        if (scores[i] > 0 && !barred[i] && c->docs[i].wanted)
            ranking[n++] = (struct scored){scores[i], i};
    }
    sorting = c;
    qsort(ranking, n, sizeof *ranking, by_score);
    n = n < best ? n : best;
    for (uint32_t i = 0; i < c->n; i++)
        scores[i] += scores[i] > 0 ? of_title(&c->docs[i], q, idf) : 0;
    for (size_t i = 0; i < n; i++)
        ranking[i].score = scores[ranking[i].doc];
    qsort(ranking, n, sizeof *ranking, by_score);
    free(tfs);
    free(barred);
    free(with);
    free(idf);
    return n;
}

/* ---- comparing */

static uint32_t doc_of(const struct corpus *c, uint32_t part, uint32_t row)
{
    return c->first[part] + row;
}

static void compare_scores(const struct corpus *c, struct sparse_search *s, const double *want)
{
    uint32_t rows[200];
    double got[200];

    for (uint32_t p = 0; p < c->n_parts; p++) {
        uint32_t n_rows = sparse_rows(c->parts[p].index), n = 0;

        for (uint32_t row = rnd(3); row < n_rows && n < 200; row += 1 + rnd(n_rows / 100 + 1))
            rows[n++] = row;
        sparse_score(s, p, rows, n, got);
        for (uint32_t i = 0; i < n; i++)
            assert_true(fabs(got[i] - want[doc_of(c, p, rows[i])]) < 1e-6);
        for (uint32_t i = 0; i < n; i += 37) {
            const struct sparse_share *shares;
            size_t n_shares = sparse_explain(s, p, rows[i], &shares);
            double sum = 0;

            for (size_t k = 0; k < n_shares; k++) {
                assert_non_null(shares[k].clause);
                assert_true(shares[k].score > 0 && shares[k].frequency > 0);
                sum += shares[k].score;
            }
            assert_true(fabs(sum - got[i]) < 1e-9);
        }
    }
}

/* Ranks of scores nearer to each other than the index can tell apart may be swapped. */
static void compare_ranking(const struct corpus *c, const struct sparse_hit *hits, size_t n, const struct scored *want,
                            size_t n_want, size_t k)
{
    assert_int_equal(n, n_want < k ? n_want : k);
    for (size_t i = 0; i < n; i++) {
        const uint32_t doc = doc_of(c, hits[i].part, hits[i].row);

        assert_true(fabs(hits[i].score - want[i].score) < 1e-6);
        if (doc == want[i].doc)
            continue;
        size_t other = 0;
        while (other < n_want && want[other].doc != doc)
            other++;
        if (other < n_want)
            assert_true(fabs(want[other].score - want[i].score) < 64 / SCORE_ONE);
        else /* without titles it was as good as the last of the best */
            assert_true(fabs(hits[i].score - want[i].score) < 64 / SCORE_ONE);
    }
}

static void check_query(struct corpus *c, const char *text, size_t k)
{
    struct arena *a = arena_new(1024u << 20);
    const struct sparse_query *q = sparse_query_parse(a, &english, 1, text, strlen(text));
    struct sparse_search *s = sparse_search_new(a, q, c->parts, c->n_parts);
    double *scores = ARENA_ARRAY(a, double, c->n + 1);
    struct scored *want = ARENA_ARRAY(a, struct scored, c->n + 1);
    struct sparse_hit *hits = ARENA_ARRAY(a, struct sparse_hit, k + 1);
    size_t n_want = oracle(c, q, scores, want, k), n = sparse_top(s, k, hits);

    compare_ranking(c, hits, n, want, n_want, k);
    compare_scores(c, s, scores);
    arena_free(a);
}

/* ---- random texts: few frequent words, many rare ones, and what tries to break things */

static const char *const SYLLABLES[] = {"ba", "co", "di", "fu", "gre", "hal", "ki", "lo", "men", "nor", "pra", "sti"};

static void random_word(char *out, size_t size)
{
    uint32_t rank = rnd(1u << rnd(11));
    size_t n = sizeof SYLLABLES / sizeof *SYLLABLES;

    snprintf(out, size, "%s%s%s", SYLLABLES[rank % n], SYLLABLES[rank / n % n], rank < n * n ? "" : "xing");
}

static void random_text(char *out, size_t size, uint32_t words)
{
    static const char *const OTHERS[] = { "the", "not", "ERR_TOO_MANY", "camelCase", "wi-fi", "東京都", "🎉", "Will",
                                          "2023-05-08", "café", "don't", "a.b.c" };
    size_t n = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < words; i++) {
        char word[64];

        random_word(word, sizeof word);
        n += (size_t)snprintf(out + n, size - n, "%s ", rnd(8) ? word : OTHERS[rnd(12)]);
        if (n + 64 > size)
            return;
    }
}

static void random_documents(struct corpus *c, uint32_t n)
{
    char title[200], body[4000], tags[100];

    while (c->n < n) {
        random_text(title, sizeof title, rnd(4));
        random_text(body, sizeof body, rnd(100) ? rnd(20) : 300);
        random_text(tags, sizeof tags, rnd(3));
        add_document(c, title, body, tags);
        for (uint32_t copies = rnd(30) ? 0 : rnd(20); copies > 0 && c->n < n; copies--)
            add_document(c, title, body, tags);
    }
}

static void random_query(char *out, size_t size)
{
    static const char *const BEFORE[] = {"", "", "", "", "", "+", "-", "title:", "\"", "+\"", "-\"", "+title:"};
    size_t n = 0;

    out[0] = '\0';
    for (uint32_t i = 1 + rnd(6); i > 0; i--) {
        const char *before = BEFORE[rnd(12)];
        char text[100];

        random_text(text, sizeof text, strchr(before, '"') ? 1 + rnd(3) : 1);
        text[strlen(text) - 1] = '\0';
        n += (size_t)snprintf(out + n, size - n, "%s%s%s ", before, text,
                              strchr(before, '"') ? "\"" : rnd(10) ? "" : "*");
    }
}

/* Up to twenty sentences, which repeat words, some of them a word long. */
static void random_message(char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    for (uint32_t i = 2 + rnd(19); i > 0; i--) {
        char text[100];

        random_text(text, sizeof text, 1 + rnd(9));
        n += (size_t)snprintf(out + n, size - n, "%s%s", text, rnd(2) ? ".\n" : "? ");
    }
}

static void random_queries(struct corpus *c, unsigned n)
{
    static const size_t BEST[] = {1, 10, 100, ROWS_MAX};
    char text[2400];

    for (unsigned i = 0; i < n; i++) {
        if (i % 4 == 1)
            random_message(text, sizeof text);
        else
            random_query(text, sizeof text);
        check_query(c, text, BEST[i / 2 % 4]);
    }
}

/* ---- tests */

static void ranks_as_the_oracle(void **state)
{
    struct corpus *c = corpus_new();

    (void)state;
    random_documents(c, 5000);
    set_parts(c, 1);
    random_queries(c, 60);
    corpus_free(c);
}

static void segments_share_their_statistics(void **state)
{
    struct corpus *c = corpus_new();

    (void)state;
    random_documents(c, 1500);
    for (size_t n = 1; n <= 5; n += 2) {
        set_parts(c, n);
        random_queries(c, 40);
    }
    corpus_free(c);
}

static void share_out(struct corpus *c, uint32_t per_mille, bool wanted)
{
    for (uint32_t i = 0; i < c->n; i++)
        *(wanted ? &c->docs[i].wanted : &c->docs[i].counts) = rnd(1000) < per_mille;
}

static void filters_of_any_share(void **state)
{
    static const uint32_t SHARES[] = {0, 10, 500, 1000};
    struct corpus *c = corpus_new();

    (void)state;
    random_documents(c, 3000);
    for (size_t i = 0; i < 4; i++) {
        share_out(c, SHARES[i], true);
        set_parts(c, 3);
        random_queries(c, 25);
    }
    share_out(c, 0, true);
    c->docs[c->n / 2].wanted = true;
    set_parts(c, 2);
    random_queries(c, 25);
    corpus_free(c);
}

static void scopes_of_any_share(void **state)
{
    static const uint32_t SHARES[] = {0, 10, 500, 990};
    struct corpus *c = corpus_new();

    (void)state;
    random_documents(c, 2000);
    for (size_t i = 0; i < 4; i++) {
        share_out(c, SHARES[i], false);
        for (uint32_t k = 0; k < c->n; k++)
            c->docs[k].wanted = c->docs[k].counts;
        set_parts(c, 3);
        random_queries(c, 25);
        share_out(c, 300, true); /* more than counts may be found, too */
        set_parts(c, 3);
        random_queries(c, 5);
    }
    corpus_free(c);
}

/* What the caller may not read changes nothing, to the last bit. */
static void hidden_rows_have_no_influence(void **state)
{
    struct corpus *with = corpus_new(), *without = corpus_new();
    char text[1000];

    (void)state;
    random_documents(with, 1200);
    for (uint32_t i = 0; i < with->n; i++) {
        struct document *d = &with->docs[i];

        d->counts = d->wanted = rnd(2);
        if (d->counts)
            without->docs[without->n++] = *d;
    }
    set_parts(with, 4);
    set_parts(without, 1);
    for (int i = 0; i < 100; i++) {
        struct arena *a = arena_new(1024u << 20);
        struct sparse_hit one[100], two[100];
        const struct sparse_query *q;
        size_t n;

        random_query(text, sizeof text);
        q = sparse_query_parse(a, &english, 1, text, strlen(text));
        n = sparse_top(sparse_search_new(a, q, with->parts, with->n_parts), 100, one);
        assert_int_equal(n, sparse_top(sparse_search_new(a, q, without->parts, without->n_parts), 100, two));
        for (size_t k = 0; k < n; k++) {
            assert_true(one[k].score == two[k].score);
            assert_true(uuid_eq(with->docs[doc_of(with, one[k].part, one[k].row)].id,
                                without->docs[doc_of(without, two[k].part, two[k].row)].id));
        }
        arena_free(a);
    }
    corpus_free(with);
    corpus_free(without);
}

static void merged_segments_answer_like_new_ones(void **state)
{
    struct corpus *c = corpus_new(), *left = corpus_new();
    struct sparse_source from[PARTS_MAX];
    struct sparse *merged, *again;

    (void)state;
    random_documents(c, 3000);
    share_out(c, 800, false);
    set_parts(c, 4);
    for (size_t p = 0; p < c->n_parts; p++) {
        uint32_t end = p + 1 < c->n_parts ? c->first[p + 1] : c->n;

        from[p] = (struct sparse_source){ c->parts[p].index,
                                          bits_of(c, c->first[p], end, offsetof(struct document, counts)) };
    }
    for (uint32_t i = 0; i < c->n; i++)
        if (c->docs[i].counts)
            left->docs[left->n++] = c->docs[i];
    merged = sparse_merge(from, c->n_parts);
    again = build(left, 0, left->n);
    assert_int_equal(sparse_bytes(merged), sparse_bytes(again));
    assert_int_equal(merged->n_terms, again->n_terms);
    sparse_free(again);
    set_part(left, 0, merged, 0, left->n);
    left->n_parts = 1;
    random_queries(left, 40);
    corpus_free(c);
    corpus_free(left);
    again = sparse_merge(NULL, 0);
    assert_int_equal(sparse_rows(again), 0);
    sparse_free(again);
}

static void adversarial_documents(void **state)
{
    struct corpus *c = corpus_new();
    char *long_text = calloc(1, 80001);

    (void)state;
    for (int i = 0; i < 1000; i++) /* all equal: ranked by id */
        add_document(c, "", "same words in every one", "");
    for (int i = 0; i < 50; i++)
        add_document(c, "", "", "");
    for (size_t i = 0; i < 40000; i++) /* a frequency beyond 16 bits */
        memcpy(long_text + 2 * i, "q ", 2);
    add_document(c, "q", long_text, "q");
    add_document(c, long_text, "q", "");
    for (int i = 0; i < 300; i++)
        add_document(c, "q", "rare words every day", "q");
    set_parts(c, 1);
    for (int i = 0; i < 2; i++) {
        check_query(c, "same words", 10);
        check_query(c, "q", 5);
        check_query(c, "every rare q title:q", 500);
        check_query(c, "\"words in every\" -rare", 20);
        check_query(c, "nothing here", 5);
        check_query(c, "", 5);
        check_query(c, "the in", 5);
        set_parts(c, 6);
    }
    free(long_text);
    corpus_free(c);
}

static void phrases_within_phrases(void **state)
{
    struct corpus *c = corpus_new();
    char text[4001] = "";

    (void)state;
    for (size_t i = 0; i < 2000; i++)
        memcpy(text + 2 * i, i % 5 ? "q " : "r ", 2);
    add_document(c, "q r q", text, "q");
    add_document(c, text, "q q q", "");
    for (int i = 0; i < 300; i++)
        add_document(c, "q", i % 2 ? "q r q" : "r q r", "q");
    set_parts(c, 2);
    check_query(c, "\"q q q\"", 500);
    check_query(c, "\"q r q\" -\"r q r\"", 500);
    check_query(c, "+title:\"q r q\"", 500);
    corpus_free(c);
}

static const char *best_title(struct corpus *c, const char *text)
{
    struct arena *a = arena_new(64u << 20);
    const struct sparse_query *q = sparse_query_parse(a, &english, 1, text, strlen(text));
    struct sparse_hit hit;
    size_t n = sparse_top(sparse_search_new(a, q, c->parts, c->n_parts), 1, &hit);
    const char *title = "none";

    for (size_t i = 0; n && i < c->docs[doc_of(c, hit.part, hit.row)].terms.n; i++) {
        const struct text_term *t = &c->docs[doc_of(c, hit.part, hit.row)].terms.at[i];

        if (t->field == TEXT_TITLE)
            title = arena_strndup(c->arena, t->text, t->length);
    }
    arena_free(a);
    return title;
}

static void finds_what_people_mean(void **state)
{
    static const char *const CASES[][2] = {
        { "ERR_QUOTA_93", "alpha" }, { "errQuota", "alpha" }, { "wifi", "beta" }, { "Wi-Fi", "beta" },
        { "Will", "gamma" }, { "what did Will say?", "gamma" }, { "runn*", "delta" }, { "categoriz*", "epsilon" },
        { "8 May 2023", "zeta" }, { "C++", "eta" }, { "C", "eta" }, { "Go", "theta" }, { "京都", "iota" },
        { "\"to be or not\"", "kappa" }, { "cafe", "lambda" }, { "+quota -err", "mu" }, { "the who", "nu" },
        { "title:nu", "nu" }, { "do not touch", "xi" }, { "🎉", "omikron" }, { "-", "none" }, { "+ - \" *", "none" },
        { "+wifi +quota", "none" }, { "-wifi", "beta" }, { "title:wifi", "none" },
    };
    struct corpus *c = corpus_new();

    (void)state;
    add_document(c, "alpha", "it failed with ERR_QUOTA_93 again", "");
    add_document(c, "beta", "the wi-fi is slow", "");
    add_document(c, "gamma", "Will said that he is coming", "");
    add_document(c, "delta", "she was running", "");
    add_document(c, "epsilon", "a categorization of things", "");
    add_document(c, "zeta", "due 2023-05-08", "");
    add_document(c, "eta", "written in C++", "");
    add_document(c, "theta", "written in Go", "");
    add_document(c, "iota", "東京都", "");
    add_document(c, "kappa", "to be or not to be", "");
    add_document(c, "lambda", "at the Café", "");
    add_document(c, "mu", "a quota was set", "");
    add_document(c, "nu", "The Who", "");
    add_document(c, "xi", "Don’t touch", "");
    add_document(c, "omikron", "party 🎉", "");
    set_parts(c, 3);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *got = best_title(c, CASES[i][0]);

        if (strcmp(got, CASES[i][1]) != 0)
            print_error("%s\n", CASES[i][0]);
        assert_string_equal(got, CASES[i][1]);
    }
    corpus_free(c);
}

/* Each word as much as it is rare, what no text has most; what is excluded is none of them. */
static void coverage_is_the_share_of_the_query(void **state)
{
    enum { PART = -1, LITTLE = -2 };
    static const struct { const char *query; double of[3]; } CASES[] = {
        { "red fox", { 1, PART, 0 } }, { "fox", { 1, 0, 0 } }, { "red zebra", { LITTLE, LITTLE, 0 } }, { "red fox -blue", { 1, PART, 0 } },
        { "zebra", { 0, 0, 0 } }, { "hen red", { PART, 1, 0 } }, { "Is that the red fox? Where is the red fox of the", { 1, PART, 0 } },
    };
    struct corpus *c = corpus_new();
    const double common = log(1 + (3 - 2 + 0.5) / (2 + 0.5)), rare = log(1 + (3 - 1 + 0.5) / (1 + 0.5)), none = log(1 + 3.5 / 0.5);

    (void)state;
    add_document(c, "", "red fox", "");
    add_document(c, "", "red hen", "");
    add_document(c, "", "blue", "");
    set_parts(c, 1);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct arena *a = arena_new(64u << 20);
        const struct sparse_query *q = sparse_query_parse(a, &english, 1, CASES[i].query, strlen(CASES[i].query));
        struct sparse_search *s = sparse_search_new(a, q, c->parts, c->n_parts);

        for (uint32_t row = 0; row < 3; row++) {
            double want = CASES[i].of[row];

            if (want < 0)
                want = common / (common + (want > LITTLE ? rare : none));
            assert_float_equal(sparse_coverage(s, 0, row), want, 1e-9);
        }
        arena_free(a);
    }
    corpus_free(c);
}

/* Any text is a query; one as long as may be, of operators alone, too. */
static void any_text_is_a_query(void **state)
{
    static const char BITS[] = "+-\"* :tile\xe2\x80\x9c\x88\x92qa\n\xff"
                               "0";
    struct corpus *c = corpus_new();

    (void)state;
    random_documents(c, 300);
    set_parts(c, 2);
    for (int round = 0; round < 300; round++) {
        struct arena *a = arena_new(512u << 20);
        size_t n = round < 290 ? rnd(60) : 4096;
        char *text = malloc(n + 1);
        struct sparse_hit hits[10];

        for (size_t i = 0; i < n; i++)
            text[i] = BITS[rnd(sizeof BITS - 1)];
        sparse_top(sparse_search_new(a, sparse_query_parse(a, &english, 1, text, n), c->parts, c->n_parts), 10, hits);
        free(text);
        arena_free(a);
    }
    corpus_free(c);
}

static void languages_search_together(void **state)
{
    struct analyzer *both[] = {english, analyzer_new("german")};
    struct arena *a = arena_new(64u << 20);
    struct text_terms of_german = {.arena = a}, of_english = {.arena = a};
    struct sparse_builder *b = sparse_builder_new();
    const struct uuid ids[2] = {{{1}}, {{2}}};
    struct sparse_hit hits[2];
    struct sparse *s;
    struct sparse_part part;

    (void)state;
    analyze(both[1], TEXT_BODY, "viele Häuser", strlen("viele Häuser"), 0, &of_german);
    analyze(english, TEXT_BODY, "many houses", strlen("many houses"), 0, &of_english);
    sparse_builder_add(b, &of_german);
    sparse_builder_add(b, &of_english);
    s = sparse_builder_finish(b);
    part = (struct sparse_part){.index = s, .ids = ids};
    assert_int_equal(1, sparse_top(sparse_search_new(a, sparse_query_parse(a, both, 2, "Häusern", 8), &part, 1), 2, hits));
    assert_int_equal(hits[0].row, 0);
    assert_int_equal(1, sparse_top(sparse_search_new(a, sparse_query_parse(a, both, 2, "house", 5), &part, 1), 2, hits));
    assert_int_equal(hits[0].row, 1);
    sparse_free(s);
    analyzer_free(both[1]);
    arena_free(a);
}

static void queries_are_read(void **state)
{
    static const char *const CASES[][2] = {
        { "running dogs", "run dog" }, { "the running", "run" }, { "the who", "the who" }, { "dog dogs", "dog" },
        { "\"big dogs\" barking", "\"big dog\" big dog bark" }, { "+dogs -cats", "+dog -cat" }, { "-cats", "cat" },
        { "wor* title:dogs", "wor* title:dog" }, { "+title:\"big dogs\"", "+title:\"big dog\" title:big title:dog" },
        { "+err_x", "+\"err x\" err_x err x" }, { "tar --verbose -5 a-b", "tar verbos 5 ab b" },
        { "what did Will and Who say", "will who say" }, { "Tell Us How Who Sings", "tell sing" },
        { "“big” dog", "big dog" }, { "5'10\" tall", "5'10 5 10 tall" }, { "a*b **x** c*", "c* b x" },
        { "−cats dog", "-cat dog" }, { "git commit -m", "git commit m" }, { "title: x", "titl x" }, { "", "" }, { "+++ ---", "" },
        /* A sentence is one by itself from three words on; a line ends one; words of an earlier one are known. */
        { "Hi Tim! Where are my dogs? The dogs are big. Thanks.", "hi tim dog | dog(2) big thank" },
        { "three big dogs\nfour small cats\nbye", "three big dog | four small cat bye" },
        { "我们的狗在哪里。东京都的猫在哪里。", "我们 们的 的狗 狗在 在哪 哪里 | 东京 京都 都的 的猫 猫在 在哪(4) 哪里(5)" },
        /* From thirteen words on a query is prose: only phrases are more than words. */
        { "b c d e f g h j k +dog -cat title:pig", "+dog -cat title:pig b c d e f g h j k" },
        { "b c d e f g h j k l +dog -cat \"big pig\"", "\"big pig\" big pig b c d e f g h j k l dog cat" },
    };
    struct arena *a = arena_new(64u << 20);

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct sparse_query *q = sparse_query_parse(a, &english, 1, CASES[i][0], strlen(CASES[i][0]));
        struct buf b;

        buf_init(&b, a, 64);
        for (size_t k = 0; k < q->n; k++) {
            bool next = k && q->clauses[k].sentence > q->clauses[k - 1].sentence;

            buf_printf(&b, "%s%s%s", next ? " |" : "", k ? " " : "", q->clauses[k].text);
            if (q->clauses[k].first < k)
                buf_printf(&b, "(%u)", q->clauses[k].first);
        }
        if (strcmp(buf_str(&b), CASES[i][1]) != 0)
            print_error("%s\n", CASES[i][0]);
        assert_string_equal(buf_str(&b), CASES[i][1]);
    }
    arena_free(a);
}

/* The last line of a message is the question, unless the text is a node's. */
static void what_was_said_before_the_question(void **state)
{
    static const struct {
        const char *text;
        bool earlier[3];
    } CASES[] = {
        {"Three big dogs. Four small cats", {false, false}},
        {"three big dogs\nfour small cats\n \n", {true, false}},
        {"Three big dogs. Two fat pigs\nfour small cats", {true, true, false}},
    };
    struct arena *a = arena_new(64u << 20);

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct sparse_query *q = sparse_query_parse(a, &english, 1, CASES[i].text, strlen(CASES[i].text));
        const struct sparse_query *words = sparse_query_words(a, &english, 1, CASES[i].text, strlen(CASES[i].text));

        for (size_t k = 0; k < q->n_sentences; k++)
            assert_true(q->earlier[k] == CASES[i].earlier[k] && !words->earlier[k]);
    }
    arena_free(a);
}

int main(int n, char **arg)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_read),
        cmocka_unit_test(ranks_as_the_oracle),
        cmocka_unit_test(segments_share_their_statistics),
        cmocka_unit_test(filters_of_any_share),
        cmocka_unit_test(scopes_of_any_share),
        cmocka_unit_test(hidden_rows_have_no_influence),
        cmocka_unit_test(merged_segments_answer_like_new_ones),
        cmocka_unit_test(adversarial_documents),
        cmocka_unit_test(phrases_within_phrases),
        cmocka_unit_test(finds_what_people_mean), cmocka_unit_test(what_was_said_before_the_question),
        cmocka_unit_test(coverage_is_the_share_of_the_query),
        cmocka_unit_test(any_text_is_a_query),
        cmocka_unit_test(languages_search_together),
    };

    if (n > 1)
        cmocka_set_test_filter(arg[1]);
    return cmocka_run_group_tests(tests, english_begins, english_ends);
}
