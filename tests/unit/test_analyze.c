/* Text to terms: words, identifiers whole and split, stems, stop words, scripts without spaces, broken bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "english.h"
#include "stopwords.h"
#include "str.h"

/* The terms as "text@position", stop words with a question mark, other forms with a plus sign. */
static const char *terms_in(struct arena *a, struct analyzer *z, const char *text, size_t n, unsigned options)
{
    struct text_terms t = {.arena = a};
    struct buf b;

    buf_init(&b, a, 256);
    analyze(z, TEXT_BODY, text, n, options, &t);
    for (size_t i = 0; i < t.n; i++) {
        const struct text_term *term = &t.at[i];

        assert_int_equal(term->hash, term_hash(term->text, term->length));
        assert_true(str_is_utf8(term->text, term->length));
        assert_in_range(term->length, 1, TERM_BYTES);
        buf_printf(&b, "%s%.*s@%u%s%s", i ? " " : "", (int)term->length, term->text, term->position,
                   term->flags & TERM_STOP ? "?" : "", term->flags & TERM_EXTRA ? "+" : "");
    }
    return buf_str(&b);
}

struct sample {
    const char *text, *terms;
};

static void check(struct analyzer *z, unsigned options, const struct sample *samples, size_t n)
{
    struct arena *a = arena_new(64 << 20);

    for (size_t i = 0; i < n; i++) {
        const char *got = terms_in(a, z, samples[i].text, strlen(samples[i].text), options);

        if (!str_eq(got, samples[i].terms))
            print_error("of \"%s\"\n", samples[i].text);
        assert_string_equal(got, samples[i].terms);
    }
    arena_free(a);
}

#define CHECK(z, options, ...)                                                                               \
    do {                                                                                                     \
        static const struct sample samples_[] = { __VA_ARGS__ };                                             \
        check((z), (options), samples_, sizeof samples_ / sizeof *samples_);                                 \
    } while (0)

static void words_are_folded_and_stemmed(void **state)
{
    (void)state;
    CHECK(english, 0, { "", "" }, { "  \n ", "" }, { "Running dogs", "run@0 dog@1" },
          { "The cat's CATS, cats'!", "the@0? cat@1 cat@2 cat@3" },
          { "CI Go C x 7", "ci@0 go@1 c@2 x@3 7@4" }, { "Crème brûlée", "creme@0 brule@1" },
          { "cafe\xcc\x81 café CAFÉ", "cafe@0 cafe@1 cafe@2" },
          { "Straße Łódź Ærø", "strass@0 lodz@1 aero@2" }, { "ｆｕｌｌ ﬁt ①", "full@0 fit@1 1@2" },
          { "Loci™ soft\u00adware", "loci@0 softwar@1" }, { "don’t", "do@0? not@1" },
          { "Привет, миру", "привет@0 миру@1" },
          { "1,000,000 12,34 3.14", "1000000@0 12@1 34@2 3.14@3+ 3@3 14@4" });
}

static void contractions_say_what_they_mean(void **state)
{
    (void)state;
    CHECK(english, 0, { "I'll they've you're he'd I'm", "i@0? they@1? you@2? he@3? i@4?" },
          { "can't won't shan't isn't", "can@0? not@1 will@2 not@3 shall@4? not@5 is@6? not@7" },
          { "O'Brien", "o'brien@0+ o@0 brien@1" }, { "'quoted'", "quot@0" });
}

static void identifiers_are_whole_and_split(void **state)
{
    (void)state;
    CHECK(
        english, 0, { "ERR_TOO_MANY", "err_too_many@0+ err@0 too@1? mani@2?" },
        { "camelCase HTTPServer", "camelcas@0+ camel@0 case@1 httpserver@2+ http@2 server@3" },
        { "iPhone mRNA PrP", "iphon@0 mrna@1 prp@2" }, { "a.b.c", "a.b.c@0+ a@0? b@1 c@2" },
        { "v1.2 is out.", "v1.2@0+ v1@0 2@1 is@2? out@3?" },
        { "jo.doe@example.com", "jo.doe@example.com@0+ jo.doe@0+ jo@0 doe@1 example.com@2+ exampl@2 com@3" },
        { "/usr/lib/x.so", "usr/lib/x.so@0+ usr@0 lib@1 x.so@2+ x@2 so@3?" },
        { "https://a.io/x?y=1", "https://a.io/x@0+ https@0 a.io@1+ a@1? io@2 x@3 y@4 1@5" },
        { "std::vector snake__case", "std::vector@0+ std@0 vector@1 snake__case@2+ snake@2 case@3" },
        { "C++ C# F# A+ g++ C++11", "c++@0+ c@0 c#@1+ c@1 f#@2+ f@2 a+@3+ a@3? g++@4+ g@4 c@5 11@6" },
        { "wi-fi e-mail gpt-4", "wifi@0+ wi@0 fi@1 email@2+ e@2 mail@3 gpt4@4+ gpt@4 4@5" },
        { "R&B #tag @me 50% $5", "r&b@0+ r@0 b@1 tag@2 me@3? 50@4 5@5" }, { "yes...no", "yes@0 no@1" },
        { "1:56 pm", "1:56@0+ 1@0 56@1 pm@2" });
}

static void dates_are_found_in_words(void **state)
{
    (void)state;
    CHECK(english, 0, { "2023-05-08", "2023-05-08@0+ may@1+ 8@2+ 2023@0 05@1 08@2" },
          { "2023-12-31", "2023-12-31@0+ decemb@1+ 2023@0 12@1 31@2" },
          { "2023-13-01", "2023-13-01@0+ 2023@0 13@1 01@2" }, { "8 May, 2023", "8@0 may@1 2023@2" });
}

static void dense_scripts_are_paired(void **state)
{
    (void)state;
    CHECK(english, 0, { "東京都", "東京@0 東@0+ 京都@1 京@1+ 都@2+" }, { "猫", "猫@0" },
          { "iPhone手机", "iphon@0 手机@1 手@1+ 机@2+" });
    CHECK(english, ANALYZE_QUERY, {"東京都", "東京@0 京都@1"}, {"猫", "猫@0"});
}

static void signs_are_words(void **state)
{
    (void)state;
    CHECK(english, 0, {"🎉", "🎉@0"}, {"👍🏽 ok ❤️", "👍@0 ok@1 ❤@2"}, {"+ - = … ©", ""});
}

static void exact_words_stay(void **state)
{
    (void)state;
    CHECK(english, ANALYZE_EXACT, {"The Runners", "the@0 runners@1"}, {"Café AI2sql", "cafe@0 ai2sql@1"});
}

static void languages_have_stemmers(void **state)
{
    struct analyzer *german = analyzer_new("german"), *none = analyzer_new("none"),
                    *french = analyzer_new("fr");

    (void)state;
    assert_non_null(german);
    assert_non_null(french);
    assert_null(analyzer_new("klingon"));
    CHECK(german, 0, {"Häuser the", "haus@0 the@1"});
    CHECK(french, 0, {"étudier étudiant", "etudi@0 etudi@1"});
    CHECK(none, 0, {"Running étudier", "running@0 etudier@1"});
    analyzer_free(german);
    analyzer_free(french);
    analyzer_free(none);
    analyzer_free(NULL);
}

static void stop_words_never_negate(void **state)
{
    static const char *const KEPT[] = { "no",  "not", "nor",  "never", "without", "cannot", "one",
                                        "two", "may", "will", "0",     "c",       "go" };

    (void)state;
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++)
        assert_false(stopwords_has(KEPT[i], strlen(KEPT[i])));
    assert_true(stopwords_has("what", 4));
    assert_true(stopwords_has("a", 1));
    assert_true(stopwords_has("yourselves", 10));
    assert_false(stopwords_has("yourselvess", 11));
    assert_false(stopwords_has("th", 2));
    assert_false(stopwords_has("", 0));
}

static void long_words_are_cut_and_long_identifiers_split(void **state)
{
    struct arena *a = arena_new(64 << 20);
    struct text_terms t = {.arena = a};
    char text[1000];

    (void)state;
    memset(text, 'x', sizeof text);
    analyze(english, TEXT_BODY, text, sizeof text, 0, &t);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.at[0].length, TERM_BYTES);
    text[500] = '_';
    t.n = 0;
    analyze(english, TEXT_BODY, text, sizeof text, 0, &t);
    assert_int_equal(t.n, 2);
    for (size_t i = 1; i < sizeof text; i += 2)
        text[i] = '.';
    t.n = 0;
    analyze(english, TEXT_BODY, text, sizeof text, 0, &t);
    assert_true(t.n >= 500);
    arena_free(a);
}

static void fields_and_pieces_stand_apart(void **state)
{
    struct arena *a = arena_new(64 << 20);
    struct text_terms t = {.arena = a};

    (void)state;
    analyze(english, TEXT_TAGS, "red", 3, 0, &t);
    analyze(english, TEXT_TAGS, "blue", 4, 0, &t);
    analyze(english, TEXT_TITLE, "green", 5, 0, &t);
    assert_int_equal(t.n, 3);
    assert_true(t.at[1].position > t.at[0].position + 1);
    assert_int_equal(t.at[1].field, TEXT_TAGS);
    assert_int_equal(t.at[2].position, 0);
    assert_int_equal(t.at[2].field, TEXT_TITLE);
    arena_free(a);
}

static void capitals_and_beginnings_are_marked(void **state)
{
    struct arena *a = arena_new(64 << 20);
    struct text_terms t = {.arena = a};

    (void)state;
    analyze(english, TEXT_BODY, "What did Will say? Go!", 22, 0, &t);
    assert_int_equal(t.n, 5);
    assert_int_equal(t.at[0].flags, TERM_STOP | TERM_CAPITAL | TERM_OPENS);
    assert_int_equal(t.at[1].flags, TERM_STOP);
    assert_int_equal(t.at[2].flags, TERM_CAPITAL);
    assert_int_equal(t.at[4].flags, TERM_CAPITAL | TERM_OPENS);
    arena_free(a);
}

/* Every byte string of two, and random longer ones; ASan and the checks of terms_in() are the judges. */
static void any_bytes_are_taken(void **state)
{
    struct arena *a = arena_new(256 << 20);
    uint32_t random = 7;

    (void)state;
    for (unsigned i = 0; i < 65536; i++) {
        char *two = malloc(2);

        two[0] = (char)(i >> 8);
        two[1] = (char)i;
        terms_in(a, english, two, 2, 0);
        free(two);
        if (i % 1024 == 0)
            arena_reset(a);
    }
    for (int round = 0; round < 2000; round++) {
        size_t n = (size_t)round % 97 + 1;
        char *text = malloc(n);

        for (size_t i = 0; i < n; i++) {
            random = random * 1664525u + 1013904223u;
            text[i] = (char)(random >> 24 & (round & 1 ? 0xff : 0x7f));
        }
        terms_in(a, english, text, n, round & 2 ? ANALYZE_QUERY : 0);
        free(text);
        arena_reset(a);
    }
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_folded_and_stemmed),
        cmocka_unit_test(contractions_say_what_they_mean),
        cmocka_unit_test(identifiers_are_whole_and_split),
        cmocka_unit_test(dates_are_found_in_words),
        cmocka_unit_test(dense_scripts_are_paired),
        cmocka_unit_test(signs_are_words),
        cmocka_unit_test(exact_words_stay),
        cmocka_unit_test(languages_have_stemmers),
        cmocka_unit_test(stop_words_never_negate),
        cmocka_unit_test(long_words_are_cut_and_long_identifiers_split),
        cmocka_unit_test(fields_and_pieces_stand_apart),
        cmocka_unit_test(capitals_and_beginnings_are_marked),
        cmocka_unit_test(any_bytes_are_taken),
    };

    return cmocka_run_group_tests(tests, english_begins, english_ends);
}
