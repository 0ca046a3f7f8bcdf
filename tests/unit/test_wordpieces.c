/* WordPiece: the rules on single texts, the reference's own answers, any bytes at all, and vocabularies that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bert_layout.h"
#include "modeltest.h"
#include "slow.h"
#include "str.h"
#include "wordpieces.h"

#define CAP (64u * 1024 * 1024)
#define LINE_BYTES (64 * 1024)
#define IDS_MAX 2048

struct world {
    struct arena *arena, *scratch;
    struct model_file model;
    const struct wordpieces *v;
};

static int begin(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    const char *why = "";

    w->arena = arena_new(CAP);
    w->scratch = arena_new(CAP);
    if (!model_file_open(w->arena, modeltest_bert_path(w->arena), &w->model, &why)) {
        print_error("%s\n", why);
        exit(1);
    }
    w->v = w->model.pieces;
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
static const char *ids_of(struct world *w, const char *text, size_t bytes)
{
    uint16_t ids[IDS_MAX];
    size_t n = wordpieces_cut(w->v, text, bytes, ids, IDS_MAX);
    struct buf b;

    buf_init(&b, w->scratch, 64);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%u", i ? " " : "", ids[i]);
    return buf_str(&b);
}

static void are_cut_alike(void **state, const char *a, const char *b)
{
    struct world *w = *state;
    const char *of_b = ids_of(w, b, strlen(b));

    assert_string_equal(ids_of(w, a, strlen(a)), of_b);
    assert_true(*of_b);
}

static void capitals_and_accents_fall_away(void **state)
{
    are_cut_alike(state, "GR\xc3\x9c\xc3\x9f"
                         "E caf\xc3\xa9",
                  "gru\xc3\x9f"
                  "e cafe");
    are_cut_alike(state, "cafe\xcc\x81", "cafe");
    are_cut_alike(state, "\xd0\x81\xd0\xbb\xd0\xba\xd0\xb0", "\xd0\xb5\xd0\xbb\xd0\xba\xd0\xb0"); /* Ёлка */
    are_cut_alike(state, "\xce\xa3", "\xcf\x83");                                                 /* Σ */
}

static void controls_go_and_white_space_parts(void **state)
{
    are_cut_alike(state, "so\xc2\xad"
                         "ft ze\xe2\x80\x8bro \xef\xbb\xbf"
                         "bom",
                  "soft zero bom");
    are_cut_alike(state, "a\x01\x0b"
                         "b\xc2\x85"
                         "c",
                  "abc");
    are_cut_alike(state, "  a\t\r\n\xc2\xa0\xe3\x80\x80\xe2\x80\xa8"
                         "b ",
                  "a b");
    are_cut_alike(state, "a\xff\xc3 b\xed\xa0\x80", "a b");
}

static void punctuation_and_chinese_stand_alone(void **state)
{
    are_cut_alike(state, "don't-stop.$5`x", "don ' t - stop . $ 5 ` x");
    are_cut_alike(state, "a\xe2\x80\x94"
                         "b\xe3\x80\x82",
                  "a \xe2\x80\x94 b \xe3\x80\x82");
    are_cut_alike(state, "x\xe4\xba\xba\xe5\xa4\xa7y", "x \xe4\xba\xba \xe5\xa4\xa7 y");
    are_cut_alike(state, "a\xcd\xbe"
                         "b",
                  "a ; b"); /* the Greek question mark is a semicolon */
    are_cut_alike(state, "\xe0\xb2\x84"
                         "bu",
                  "[UNK]"); /* punctuation, but only since Unicode 9 */
}

static void words_are_the_longest_pieces_from_the_left(void **state)
{
    struct world *w = *state;

    assert_string_equal(ids_of(w, "unaffable", 9), "14477 20961 3468");
    assert_string_equal(ids_of(w, "hello world", 11), "7592 2088");
    assert_string_equal(ids_of(w, "\xf0\x9f\x98\x80hello", 9), "100"); /* a word with anything unknown is unknown */
    assert_string_equal(ids_of(w, "", 0), "");
    assert_string_equal(ids_of(w, " \xcc\x81 ", 4), "");
}

static void a_word_of_more_than_a_hundred_letters_is_unknown(void **state)
{
    struct world *w = *state;
    char text[WORDPIECE_WORD + 1];

    memset(text, 'a', sizeof text);
    assert_string_not_equal(ids_of(w, text, WORDPIECE_WORD), "100");
    assert_string_equal(ids_of(w, text, WORDPIECE_WORD + 1), "100");
}

static void special_pieces_are_spelled_exactly(void **state)
{
    struct world *w = *state;

    assert_string_equal(ids_of(w, "a[SEP]b [MASK]", 14), "1037 102 1038 103");
    are_cut_alike(state, "[sep]", "[ sep ]");
    assert_string_equal(ids_of(w, "[SE", 3), ids_of(w, "[ se", 4));
}

static void it_stops_where_the_room_ends(void **state)
{
    struct world *w = *state;
    uint16_t ids[5] = {0};

    assert_int_equal(wordpieces_cut(w->v, "unaffable unaffable", 19, ids, 4), 4);
    assert_int_equal(ids[3], 14477);
    assert_int_equal(ids[4], 0);
    assert_int_equal(wordpieces_cut(w->v, "unaffable unaffable", 19, NULL, SIZE_MAX), 6);
    assert_int_equal(wordpieces_cut(w->v, "unaffable", 9, ids, 0), 0);
}

/* tests/bench/embed_peers/golden.mjs made them; tests/bench/embed_peers/tokens.mjs compares more than a million texts. */
static void the_reference_cuts_the_same(void **state)
{
    struct world *w = *state;
    const char *src = getenv("srcdir");
    FILE *f = fopen(arena_printf(w->arena, "%s/tests/unit/minilm_golden.jsonl", src ? src : "."), "r");
    char *line = arena_alloc(w->arena, LINE_BYTES);
    size_t texts = 0;

    assert_non_null(f);
    for (; fgets(line, LINE_BYTES, f); texts++) {
        struct json *j = NULL, *ids, *text;
        uint16_t got[IDS_MAX];
        const char *why = "";
        size_t n, i = 0;

        arena_reset(w->scratch);
        assert_int_equal(json_parse(w->scratch, line, strlen(line), &j, &why), JSON_OK);
        text = json_get(j, "text");
        ids = json_get(j, "ids");
        n = wordpieces_cut(w->v, text->s, text->len, got, IDS_MAX);
        assert_int_equal(n, ids->len);
        for (const struct json *id = ids->first; id; id = id->next)
            if (got[i++] != id->i)
                fail_msg("'%s': piece %zu is %u, not %lld", text->s, i - 1, got[i - 1], (long long)id->i);
    }
    assert_true(texts > 100);
    fclose(f);
}

/* Random bytes and cut-off sequences on memory of exactly their size. */
static void any_bytes_are_taken(void **state)
{
    struct world *w = *state;
    uint16_t ids[64];

    srand(7);
    for (int i = slow_times(100000, 20000, 2000); i > 0; i--) {
        size_t n = (size_t)rand() % 40, counted, put;
        char *text = malloc(n + (n == 0));

        for (size_t k = 0; k < n; k++)
            text[k] = (char)(rand() % 3 ? rand() % 128 : rand());
        counted = wordpieces_cut(w->v, text, n, NULL, SIZE_MAX);
        put = wordpieces_cut(w->v, text, n, ids, 64);
        assert_int_equal(put, counted);
        for (size_t k = 0; k < put; k++)
            assert_true(ids[k] < BERT_PIECES && ids[k] != w->v->special[PIECE_PAD]);
        free(text);
    }
}

static void a_vocabulary_that_does_not_fit_is_refused(void **state)
{
    struct arena *a = ((struct world *)*state)->scratch;
    struct wordpieces *v = ARENA_NEW(a, struct wordpieces);
    struct json *few = json_obj(a);
    const char *why = NULL;

    assert_false(wordpieces_build(a, NULL, v, &why));
    assert_non_null(strstr(why, "0 pieces"));
    json_set_int(a, few, "x", BERT_PIECES);
    assert_false(wordpieces_build(a, few, v, &why));
    assert_non_null(strstr(why, "'x'"));
    few = json_obj(a);
    json_set_int(a, few, "x", 5);
    assert_false(wordpieces_build(a, few, v, &why));
    assert_non_null(strstr(why, "1 pieces"));
}

static void a_damaged_trie_is_not_sound(void **state)
{
    struct world *w = *state;
    struct wordpieces *v = arena_memdup(w->scratch, w->v, sizeof *v);
    size_t free_slot = 0;

    assert_true(wordpieces_are_sound(v));
    while (v->edges[free_slot].to)
        free_slot++;
    v->edges[free_slot].to = 5;
    assert_false(wordpieces_are_sound(v));
    v->edges[free_slot].to = 0;
    v->piece[9] = BERT_PIECES;
    assert_false(wordpieces_are_sound(v));
    v->piece[9] = 0;
    v->special[PIECE_SEP] = BERT_PIECES;
    assert_false(wordpieces_are_sound(v));
    v->special[PIECE_SEP] = 102;
    v->n_nodes = WORDPIECE_NODES + 1;
    assert_false(wordpieces_are_sound(v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capitals_and_accents_fall_away),
        cmocka_unit_test(controls_go_and_white_space_parts),
        cmocka_unit_test(punctuation_and_chinese_stand_alone),
        cmocka_unit_test(words_are_the_longest_pieces_from_the_left),
        cmocka_unit_test(a_word_of_more_than_a_hundred_letters_is_unknown),
        cmocka_unit_test(special_pieces_are_spelled_exactly),
        cmocka_unit_test(it_stops_where_the_room_ends),
        cmocka_unit_test(the_reference_cuts_the_same),
        cmocka_unit_test(any_bytes_are_taken),
        cmocka_unit_test(a_vocabulary_that_does_not_fit_is_refused),
        cmocka_unit_test(a_damaged_trie_is_not_sound),
    };

    modeltest_need_bert();
    return cmocka_run_group_tests(tests, begin, end);
}
