/* The tokenizer's rules on a small vocabulary, and what must hold for any text on the model's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "modeltest.h"
#include "slow.h"
#include "small_vocabulary.h"
#include "str.h"
#include "tokenizer.h"
#include "windows.h"

#define CAP (64u * 1024 * 1024)

static uint64_t seed = 88172645463325252u;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

struct world {
    struct arena *arena, *scratch;
    struct vocabulary *small;
};

static int begin(void **state)
{
    struct world *w = calloc(1, sizeof *w);

    w->arena = arena_new(CAP);
    w->scratch = arena_new(CAP);
    w->small = small_vocabulary(w->arena);
    *state = w;
    return 0;
}

static int end(void **state)
{
    struct world *w = *state;

    arena_free(w->arena);
    arena_free(w->scratch);
    free(w);
    return 0;
}

/* The numbers as text, "12 7 9". */
static const char *ids_of(struct world *w, const char *text, size_t n)
{
    struct tokens t = tokenize(w->small, w->scratch, text, n);
    struct buf b;

    buf_init(&b, w->scratch, 64);
    for (size_t i = 0; i < t.n; i++)
        buf_printf(&b, "%s%u", i ? " " : "", t.ids[i]);
    return buf_str(&b);
}

static void check(struct world *w, const char *text, const char *ids)
{
    assert_string_equal(ids_of(w, text, strlen(text)), ids);
}

static void a_score_of_zero_counts_as_none(void **state)
{
    struct vocabulary *v = small_vocabulary(((struct world *)*state)->scratch);
    struct tokens t;

    for (size_t i = 0; i < MODEL_PIECES; i++)
        v->score[i] = 0;
    /* nothing is ever better than nothing: the last piece relaxed wins at every place */
    t = tokenize(v, ((struct world *)*state)->scratch, "ab", 2);
    assert_int_equal(t.n, 3);
    assert_int_equal(t.ids[0], PIECE_FIRST);
    assert_int_equal(t.ids[1], PIECE_FIRST + 1);
    assert_int_equal(t.ids[2], PIECE_FIRST + 2);
}

static void the_unknown_stand_together(void **state)
{
    struct world *w = *state;
    const char *one = ids_of(w, "\t", 1);

    check(w, "\t\n\r", one);
    check(w, "\xf0\x9f\x98\x80\xf0\x9f\x98\x80", one);
    assert_string_equal(one, "6 0");
}

static void nothing_is_nothing(void **state)
{
    check(*state, "", "");
    assert_int_equal(strlen(ids_of(*state, " ", 1)) > 0, 1);
}

/* Ligatures, full width, no-break and ideographic space fall together; capitals do not. */
static void compatibility_forms_fall_together(void **state)
{
    struct world *w = *state;

    check(w, "\xef\xac\x81", arena_strdup(w->scratch, ids_of(w, "fi", 2)));
    check(w, "\xef\xbd\x81\xef\xbd\x82", arena_strdup(w->scratch, ids_of(w, "ab", 2)));
    check(w, "a\xc2\xa0"
             "b",
          arena_strdup(w->scratch, ids_of(w, "a b", 3)));
    check(w, "a\xe3\x80\x80"
             "b",
          arena_strdup(w->scratch, ids_of(w, "a b", 3)));
    check(w, "A", "6 0");
}

/* Taking text apart at ASCII must not change what composes across. */
static void marks_compose_with_the_letter_before(void **state)
{
    struct world *w = *state;

    check(w, "ae\xcc\x81", arena_strdup(w->scratch, ids_of(w, "a\xc3\xa9", 3)));
    check(w, "a e\xcc\x81 b", arena_strdup(w->scratch, ids_of(w, "a \xc3\xa9 b", 6)));
}

static void what_is_no_utf8_counts_as_unknown(void **state)
{
    struct world *w = *state;

    check(w, "\xff", "6 0");
    check(w, "\xc3", "6 0");
    check(w, "\xed\xa0\x80", "6 0"); /* a surrogate: three faulty bytes, one unknown */
    assert_string_equal(ids_of(w, "\0", 1), "6 0");
}

/* Sorting marks is quadratic in the library below; text of 256 KiB must not take seconds. */
static void marks_without_end_take_no_time(void **state)
{
    struct world *w = *state;
    size_t n = 256 * 1024;
    char *text = arena_alloc(w->scratch, n + 1);

    for (size_t i = 0; i + 4 <= n; i += 4)
        memcpy(text + i, "\xcc\x81\xcc\x96", 4);
    assert_true(tokenize(w->small, w->scratch, text, n).n >= 1);
    arena_reset(w->scratch);
}

/* Some code point, more often from where something happens. */
static size_t put_random(char *p)
{
    static const uint32_t ENDS[] = {0x80, 0x100, 0x370, 0x800, 0x3100, 0xfff0, 0x20000, 0x110000};
    uint32_t c = (uint32_t)(draw() % ENDS[draw() % (sizeof ENDS / sizeof *ENDS)]);

    if (c < 0x80) {
        p[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        p[0] = (char)(0xc0 | c >> 6);
        p[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        p[0] = (char)(0xe0 | c >> 12);
        p[1] = (char)(0x80 | (c >> 6 & 0x3f));
        p[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    p[0] = (char)(0xf0 | c >> 18);
    p[1] = (char)(0x80 | (c >> 12 & 0x3f));
    p[2] = (char)(0x80 | (c >> 6 & 0x3f));
    p[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

static size_t random_text(char *p)
{
    size_t n = 0, length = draw() % 40;
    bool bytes = draw() % 8 == 0;

    for (size_t i = 0; i < length; i++)
        if (bytes)
            p[n++] = (char)draw();
        else
            n += put_random(p + n);
    return n;
}

static void check_any(const struct vocabulary *v, struct arena *a, const char *text, size_t n)
{
    struct tokens t = tokenize(v, a, text, n);
    struct windows w = windows_of(v, a, text, n, 8, 5);
    size_t last = 0;

    if (n == 0)
        assert_int_equal(t.n, 0);
    for (size_t i = 0; i < t.n; i++) {
        assert_true(t.ids[i] < MODEL_PIECES && (t.ids[i] == PIECE_UNKNOWN || t.ids[i] >= PIECE_FIRST));
        assert_false(i && t.ids[i] == PIECE_UNKNOWN && t.ids[i - 1] == PIECE_UNKNOWN);
    }
    for (size_t i = 0; i < w.n; i++) {
        assert_true(w.ends[i] > last && w.ends[i] - last <= (w.n == 1 ? 8 : 5));
        last = w.ends[i];
    }
}

static void any_text_has_tokens_in_range(void **state)
{
    struct world *w = *state;
    const struct vocabulary *v = w->small;
    struct arena *a = arena_new(CAP);
    struct model_file model;
    char text[256];

    if (modeltest_has_model()) {
        modeltest_open(a, &model);
        v = model.vocabulary;
    }
    for (int i = 0; i < slow_times(100000, 100000, 10000); i++) {
        size_t n = random_text(text);
        char *exact = malloc(n ? n : 1);

        memcpy(exact, text, n);
        arena_reset(w->scratch);
        check_any(v, w->scratch, exact, n);
        free(exact);
    }
    arena_free(a);
}

/* ---- white space and windows */

static void white_space_of_every_kind_is_one_space(void **state)
{
    struct world *w = *state;
    size_t n;

    assert_string_equal(collapse_space(w->scratch, "  a\t\r\n b  ", 10, &n), "a b");
    assert_int_equal(n, 3);
    assert_string_equal(collapse_space(w->scratch, "\xe3\x80\x80"
                                                   "a\xc2\xa0\xe2\x80\xa9"
                                                   "b\xc2\x85",
                                       12, &n),
                        "a b");
    assert_string_equal(collapse_space(w->scratch, "\n\t ", 3, &n), "");
    assert_int_equal(n, 0);
    assert_string_equal(collapse_space(w->scratch, "a\xff b", 4, &n), "a\xff b");
}

/* The texts of the windows' tokens are told by their lengths: each letter pair is one token, each word begins one. */
static const char *window_lengths(struct world *w, const char *text, size_t whole, size_t part)
{
    struct windows v = windows_of(w->small, w->scratch, text, strlen(text), whole, part);
    struct buf b;

    buf_init(&b, w->scratch, 64);
    for (size_t i = 0; i < v.n; i++)
        buf_printf(&b, "%s%zu", i ? " " : "", v.ends[i] - (i ? v.ends[i - 1] : 0));
    return buf_str(&b);
}

static void long_texts_end_where_sentences_end(void **state)
{
    struct world *w = *state;

    assert_string_equal(window_lengths(w, "a b c d", 4, 3), "4");
    assert_string_equal(window_lengths(w, "a b c d e", 4, 3), "3 2");
    /* "." is unknown, a token of its own */
    assert_string_equal(window_lengths(w, "a b. c d e f", 4, 4), "3 4");
    assert_string_equal(window_lengths(w, "a b. c d. e f g", 4, 6), "6 3");
    assert_string_equal(window_lengths(w, "a b? c. d e f g h", 4, 5), "5 5");
    assert_string_equal(window_lengths(w, "a\nb c d e", 4, 3), "1 3 1");
    assert_string_equal(window_lengths(w, "a b\r\n\r\nc d\ne", 4, 4), "2 3");
    assert_string_equal(window_lengths(w, "a b.c d e", 4, 4), "4 2"); /* no sentence ends in 'b.c' */
    assert_string_equal(window_lengths(w, " \n ", 4, 4), "");
}

/* One word longer than a window is cut where it must be. */
static void a_word_without_end_is_cut(void **state)
{
    struct world *w = *state;
    const char *lengths = window_lengths(w, "aabbccddeeffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz", 4, 5);

    assert_true(str_starts(lengths, "5 5"));
}

/* ---- the vocabulary */

static void a_vocabulary_that_does_not_fit_is_refused(void **state)
{
    struct world *w = *state;
    struct vocabulary *v = ARENA_NEW(w->scratch, struct vocabulary);
    struct json *few = json_arr(w->scratch), *row = json_arr(w->scratch);
    const char *why = NULL;

    assert_false(vocabulary_build(w->scratch, NULL, v, &why));
    assert_non_null(why);
    json_push(row, json_str(w->scratch, "x"));
    json_push(few, row);
    assert_false(vocabulary_build(w->scratch, few, v, &why));
    assert_non_null(strstr(why, "row 0"));
    json_push(row, json_num(w->scratch, -1));
    assert_false(vocabulary_build(w->scratch, few, v, &why));
    assert_non_null(strstr(why, "1 pieces"));
}

static void a_damaged_vocabulary_is_not_sound(void **state)
{
    struct world *w = *state;
    struct vocabulary *v = arena_memdup(w->scratch, w->small, sizeof *v);
    size_t free_slot = 0;

    assert_true(vocabulary_is_sound(v));
    while (v->edges[free_slot].to)
        free_slot++;
    v->edges[free_slot].to = 1;
    assert_false(vocabulary_is_sound(v));
    v->edges[free_slot].to = (uint16_t)v->n_nodes;
    assert_false(vocabulary_is_sound(v));
    v->edges[free_slot].to = 0;
    v->piece[3] = MODEL_PIECES;
    assert_false(vocabulary_is_sound(v));
    v->piece[3] = 0;
    v->n_nodes = VOCABULARY_NODES + 1;
    assert_false(vocabulary_is_sound(v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_score_of_zero_counts_as_none),
        cmocka_unit_test(the_unknown_stand_together),
        cmocka_unit_test(nothing_is_nothing),
        cmocka_unit_test(compatibility_forms_fall_together),
        cmocka_unit_test(marks_compose_with_the_letter_before),
        cmocka_unit_test(what_is_no_utf8_counts_as_unknown),
        cmocka_unit_test(marks_without_end_take_no_time),
        cmocka_unit_test(any_text_has_tokens_in_range),
        cmocka_unit_test(white_space_of_every_kind_is_one_space),
        cmocka_unit_test(long_texts_end_where_sentences_end),
        cmocka_unit_test(a_word_without_end_is_cut),
        cmocka_unit_test(a_vocabulary_that_does_not_fit_is_refused),
        cmocka_unit_test(a_damaged_vocabulary_is_not_sound),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
