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
    enum sparse_group group;
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

static struct document *add_document(struct corpus *c, enum sparse_group group, const char *title, const char *body,
                                     const char *tags)
{
    static const uint32_t HALVES_OF[] = {[TEXT_BODY] = 2, [TEXT_TITLE] = 4, [TEXT_TAGS] = 3};
    struct document *d = &c->docs[c->n++];

    assert_true(c->n <= ROWS_MAX);
    d->terms.arena = c->arena;
    d->group = group;
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
        sparse_builder_add(b, c->docs[i].group, &c->docs[i].terms);
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

static const double K1[] = {0.9, 1.2}, B[] = {0.4, 0.75};
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

/* The scores of all documents: 0 where nothing matches; rank only those that may be found. */
static size_t oracle(const struct corpus *c, const struct sparse_query *q, double *scores, struct scored *ranking)
{
    double rows[2] = {0, 0}, lengths[2] = {0, 0};
    double *tfs = calloc(c->n + 1, sizeof *tfs);
    bool *barred = calloc(c->n + 1, sizeof *barred);
    size_t n = 0;

    for (uint32_t i = 0; i < c->n; i++) {
        rows[c->docs[i].group] += c->docs[i].counts;
        lengths[c->docs[i].group] += c->docs[i].counts ? c->docs[i].length / 2.0 : 0;
        scores[i] = 0;
    }
    for (size_t k = 0; k < q->n; k++) {
        const struct sparse_clause *clause = &q->clauses[k];
        double with[2] = {0, 0};

        for (uint32_t i = 0; i < c->n; i++) {
            tfs[i] = frequency(&c->docs[i], clause);
            with[c->docs[i].group] += tfs[i] > 0 && c->docs[i].counts;
            barred[i] |= clause->role == CLAUSE_REQUIRED ? tfs[i] == 0 : clause->role == CLAUSE_EXCLUDED && tfs[i] > 0;
        }
        for (uint32_t i = 0; i < c->n && clause->role != CLAUSE_EXCLUDED; i++) {
            unsigned g = c->docs[i].group;
            double mean = rows[g] > 0 && lengths[g] > 0 ? lengths[g] / rows[g] : 1;
            double idf = log(1 + (rows[g] - with[g] + 0.5) / (with[g] + 0.5));
            double norm = K1[g] * (1 - B[g] + B[g] * (c->docs[i].length / 2.0) / mean);

            if (tfs[i] > 0)
                scores[i] += clause->times * idf * tfs[i] * (K1[g] + 1) / (tfs[i] + norm);
        }
    }
    for (uint32_t i = 0; i < c->n; i++)
        if (scores[i] > 0 && !barred[i] && c->docs[i].wanted)
            ranking[n++] = (struct scored){scores[i], i};
    sorting = c;
    qsort(ranking, n, sizeof *ranking, by_score);
    free(tfs);
    free(barred);
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
        assert_true(other < n_want);
        assert_true(fabs(want[other].score - want[i].score) < 64 / SCORE_ONE);
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
    size_t n_want = oracle(c, q, scores, want), n = sparse_top(s, k, hits);

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

static void random_documents(struct corpus *c, uint32_t n, bool mixed)
{
    char title[200], body[4000], tags[100];

    while (c->n < n) {
        enum sparse_group group = mixed && rnd(3) == 0 ? SPARSE_LONG : SPARSE_SHORT;

        random_text(title, sizeof title, rnd(4));
        random_text(body, sizeof body, rnd(100) ? rnd(20) : 300);
        random_text(tags, sizeof tags, rnd(3));
        add_document(c, group, title, body, tags);
        for (uint32_t copies = rnd(30) ? 0 : rnd(20); copies > 0 && c->n < n; copies--)
            add_document(c, group, title, body, tags);
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

static void random_queries(struct corpus *c, unsigned n)
{
    static const size_t BEST[] = {1, 10, 100, ROWS_MAX};
    char text[1000];

    for (unsigned i = 0; i < n; i++) {
        random_query(text, sizeof text);
        check_query(c, text, BEST[i % 4]);
    }
}

/* ---- tests */

static void ranks_as_the_oracle(void **state)
{
    struct corpus *c = corpus_new();

    (void)state;
    random_documents(c, 5000, false);
    set_parts(c, 1);
    random_queries(c, 60);
    corpus_free(c);
}

static void groups_have_their_own_statistics(void **state)
{
    struct corpus *c = corpus_new();

    (void)state;
    random_documents(c, 1500, true);
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
    random_documents(c, 3000, true);
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
    random_documents(c, 2000, true);
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
    random_documents(with, 1200, true);
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
    random_documents(c, 3000, true);
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
        add_document(c, SPARSE_SHORT, "", "same words in every one", "");
    for (int i = 0; i < 50; i++)
        add_document(c, SPARSE_SHORT, "", "", "");
    for (size_t i = 0; i < 40000; i++) /* a frequency beyond 16 bits */
        memcpy(long_text + 2 * i, "q ", 2);
    add_document(c, SPARSE_LONG, "q", long_text, "q");
    add_document(c, SPARSE_SHORT, long_text, "q", "");
    for (int i = 0; i < 300; i++)
        add_document(c, SPARSE_SHORT, "q", "rare words every day", "q");
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
    add_document(c, SPARSE_LONG, "q r q", text, "q");
    add_document(c, SPARSE_SHORT, text, "q q q", "");
    for (int i = 0; i < 300; i++)
        add_document(c, SPARSE_SHORT, "q", i % 2 ? "q r q" : "r q r", "q");
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
    add_document(c, SPARSE_SHORT, "alpha", "it failed with ERR_QUOTA_93 again", "");
    add_document(c, SPARSE_SHORT, "beta", "the wi-fi is slow", "");
    add_document(c, SPARSE_SHORT, "gamma", "Will said that he is coming", "");
    add_document(c, SPARSE_SHORT, "delta", "she was running", "");
    add_document(c, SPARSE_SHORT, "epsilon", "a categorization of things", "");
    add_document(c, SPARSE_SHORT, "zeta", "due 2023-05-08", "");
    add_document(c, SPARSE_SHORT, "eta", "written in C++", "");
    add_document(c, SPARSE_SHORT, "theta", "written in Go", "");
    add_document(c, SPARSE_SHORT, "iota", "東京都", "");
    add_document(c, SPARSE_SHORT, "kappa", "to be or not to be", "");
    add_document(c, SPARSE_SHORT, "lambda", "at the Café", "");
    add_document(c, SPARSE_SHORT, "mu", "a quota was set", "");
    add_document(c, SPARSE_SHORT, "nu", "The Who", "");
    add_document(c, SPARSE_SHORT, "xi", "Don’t touch", "");
    add_document(c, SPARSE_SHORT, "omikron", "party 🎉", "");
    set_parts(c, 3);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *got = best_title(c, CASES[i][0]);

        if (strcmp(got, CASES[i][1]) != 0)
            print_error("%s\n", CASES[i][0]);
        assert_string_equal(got, CASES[i][1]);
    }
    corpus_free(c);
}

/* Of the words that some text has, each as much as it is rare; what is excluded is none of them. */
static void coverage_is_the_share_of_the_query(void **state)
{
    static const struct { const char *query; double of[3]; } CASES[] = {
        { "red fox", { 1, -1, 0 } }, { "fox", { 1, 0, 0 } }, { "red zebra", { 1, 1, 0 } }, { "red fox -blue", { 1, -1, 0 } },
        { "zebra", { 0, 0, 0 } }, { "hen red", { -1, 1, 0 } },
    };
    struct corpus *c = corpus_new();
    const double common = log(1 + (3 - 2 + 0.5) / (2 + 0.5)), rare = log(1 + (3 - 1 + 0.5) / (1 + 0.5));

    (void)state;
    add_document(c, SPARSE_SHORT, "", "red fox", "");
    add_document(c, SPARSE_SHORT, "", "red hen", "");
    add_document(c, SPARSE_SHORT, "", "blue", "");
    set_parts(c, 1);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct arena *a = arena_new(64u << 20);
        const struct sparse_query *q = sparse_query_parse(a, &english, 1, CASES[i].query, strlen(CASES[i].query));
        struct sparse_search *s = sparse_search_new(a, q, c->parts, c->n_parts);

        for (uint32_t row = 0; row < 3; row++) {
            double want = CASES[i].of[row] < 0 ? common / (common + rare) : CASES[i].of[row];

            assert_float_equal(sparse_coverage(s, 0, row, false), want, 1e-9);
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
    random_documents(c, 300, true);
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
    sparse_builder_add(b, SPARSE_SHORT, &of_german);
    sparse_builder_add(b, SPARSE_SHORT, &of_english);
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
        { "running dogs", "run dog" }, { "the running", "run" }, { "the who", "the who" }, { "dog dogs", "dog(2)" },
        { "\"big dogs\" barking", "\"big dog\" big dog bark" }, { "+dogs -cats", "+dog -cat" }, { "-cats", "cat" },
        { "wor* title:dogs", "wor* title:dog" }, { "+title:\"big dogs\"", "+title:\"big dog\" title:big title:dog" },
        { "+err_x", "+\"err x\" err_x err x" }, { "tar --verbose -5 a-b", "tar verbos 5 ab b" },
        { "what did Will and Who say", "will who say" }, { "Tell Us How Who Sings", "tell sing" },
        { "“big” dog", "big dog" }, { "5'10\" tall", "5'10 5 10 tall" }, { "a*b **x** c*", "c* b x" },
        { "−cats dog", "-cat dog" }, { "git commit -m", "git commit m" }, { "title: x", "titl x" }, { "", "" }, { "+++ ---", "" },
    };
    struct arena *a = arena_new(64u << 20);

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct sparse_query *q = sparse_query_parse(a, &english, 1, CASES[i][0], strlen(CASES[i][0]));
        struct buf b;

        buf_init(&b, a, 64);
        for (size_t k = 0; k < q->n; k++) {
            buf_printf(&b, "%s%s", k ? " " : "", q->clauses[k].text);
            if (q->clauses[k].times > 1)
                buf_printf(&b, "(%u)", q->clauses[k].times);
        }
        if (strcmp(buf_str(&b), CASES[i][1]) != 0)
            print_error("%s\n", CASES[i][0]);
        assert_string_equal(buf_str(&b), CASES[i][1]);
    }
    arena_free(a);
}

int main(int n, char **arg)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_read),
        cmocka_unit_test(ranks_as_the_oracle),
        cmocka_unit_test(groups_have_their_own_statistics),
        cmocka_unit_test(filters_of_any_share),
        cmocka_unit_test(scopes_of_any_share),
        cmocka_unit_test(hidden_rows_have_no_influence),
        cmocka_unit_test(merged_segments_answer_like_new_ones),
        cmocka_unit_test(adversarial_documents),
        cmocka_unit_test(phrases_within_phrases),
        cmocka_unit_test(finds_what_people_mean),
        cmocka_unit_test(coverage_is_the_share_of_the_query),
        cmocka_unit_test(any_text_is_a_query),
        cmocka_unit_test(languages_search_together),
    };

    if (n > 1)
        cmocka_set_test_filter(arg[1]);
    return cmocka_run_group_tests(tests, english_begins, english_ends);
}
