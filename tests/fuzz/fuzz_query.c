/* Fuzzes the query language: any bytes are a query that is sound, ends in bounded time, and finds only rows
   that there are. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "sparse.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct analyzer *both[2];

/* A handful of rows with everything in them that the syntax is about. */
static struct sparse *some_rows(struct arena *a)
{
    static const char *const TEXTS[] = { "to be or not to be", "ERR_TOO_MANY errors in a.b.c", "wi-fi at the Café 2023-05-08",
                                         "京都 東京都", "a a a b a", "Häuser und Gärten", "" };
    struct sparse_builder *b = sparse_builder_new();

    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        struct text_terms t = {.arena = a};

        analyze(both[i & 1], i % 3 ? TEXT_BODY : TEXT_TITLE, TEXTS[i], strlen(TEXTS[i]), 0, &t);
        sparse_builder_add(b, &t);
    }
    return sparse_builder_finish(b);
}

static void check_query(const struct sparse_query *q, size_t size)
{
    assert(q->n <= 3 * 18 * size + 1 && q->n_sentences >= 1 && q->n_sentences <= SPARSE_SENTENCES);
    for (size_t i = 0; i < q->n; i++) {
        const struct sparse_clause *c = &q->clauses[i];

        assert(c->n_words >= 1 && c->first <= i && c->sentence < q->n_sentences && c->text && str_is_utf8(c->text, strlen(c->text)));
        for (size_t k = 0; k < c->n_words; k++) {
            assert(c->words[k].n_forms >= 1 && (k > 0 || c->words[k].offset == 0));
            for (size_t f = 0; f < c->words[k].n_forms; f++)
                assert(c->words[k].forms[f].n >= 1 && c->words[k].forms[f].n <= TERM_BYTES);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct uuid ids[16];
    static struct sparse *index;
    struct arena *a = arena_new(1u << 30);
    struct sparse_hit hits[16];
    struct sparse_part part = {.ids = ids};
    const struct sparse_query *q;
    struct sparse_search *s;
    size_t n;

    if (!index) {
        both[0] = analyzer_new("english");
        both[1] = analyzer_new("german");
        index = some_rows(a);
    }
    part.index = index;
    q = sparse_query_parse(a, both, 1 + size % 2, (const char *)data, size);
    check_query(q, size);
    s = sparse_search_new(a, q, &part, 1);
    n = sparse_top(s, 16, hits);
    assert(n <= sparse_rows(index));
    for (size_t i = 0; i < n; i++) {
        const struct sparse_share *shares;
        double score, sum = 0;

        assert(hits[i].row < sparse_rows(index) && hits[i].score > 0 && (i == 0 || hits[i].score <= hits[i - 1].score));
        sparse_score(s, 0, &hits[i].row, 1, &score);
        for (size_t k = sparse_explain(s, 0, hits[i].row, &shares); k-- > 0;)
            sum += shares[k].score;
        assert(score == hits[i].score && sum - score < 1e-6 && score - sum < 1e-6);
    }
    arena_free(a);
    return 0;
}
