/* Names in texts and queries: what is one, how it is folded, and what only looks like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "mentions.h"

static struct arena *arena;

static const struct found_name *find(const struct found_names *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->at[i].name, name) == 0)
            return &f->at[i];
    return NULL;
}

static struct found_names in_text(const char *text)
{
    struct found_names f = {.arena = arena};

    mentions_find(&f, text, false);
    return f;
}

static struct found_names in_query(const char *text)
{
    struct found_names f = {.arena = arena};

    mentions_of_query(&f, text);
    return f;
}

static void texts_name_things(void **state)
{
    struct found_names f = in_text("Yesterday we met Marie Curie's friend in the Museum of Modern Art; E4402 came up, and \"blue hour\".");

    (void)state;
    assert_non_null(find(&f, "marie curie"));
    assert_int_equal(find(&f, "marie curie")->flags, MENTION_CAPITAL | MENTION_PHRASE);
    assert_non_null(find(&f, "museum of modern art"));
    assert_non_null(find(&f, "modern art")); /* "A of B" is also A and B */
    assert_true(find(&f, "e4402")->flags & MENTION_IDENTIFIER);
    assert_true(find(&f, "blue hour")->flags & MENTION_QUOTED);
    assert_null(find(&f, "we"));
}

static void the_first_word_of_a_sentence_is_weak(void **state)
{
    struct found_names f = in_text("Cold exposure helps. Yesterday Caroline left. Paris was grey. I love Paris.");

    (void)state;
    assert_int_equal(find(&f, "cold")->flags, MENTION_CAPITAL | MENTION_WEAK);
    assert_non_null(find(&f, "yesterday caroline"));
    assert_int_equal(find(&f, "caroline")->flags, MENTION_CAPITAL); /* whatever stands before her */
    assert_int_equal(find(&f, "paris")->flags, MENTION_CAPITAL);    /* once inside a sentence is enough */
    assert_int_equal(find(&f, "paris")->times, 2);
}

static void titles_are_names(void **state)
{
    struct found_names f = {.arena = arena};

    (void)state;
    mentions_title(&f, "The Mercury (planet)");
    assert_non_null(find(&f, "mercury planet"));
    assert_non_null(find(&f, "mercury"));
    f = (struct found_names){.arena = arena};
    mentions_title(&f, "one two three four five six seven eight nine");
    assert_int_equal(f.n, 0);
}

static void queries_mean_any_run_of_words(void **state)
{
    struct found_names f = in_query("Who was marie curie in Warsaw, of \"blue hour\"?");

    (void)state;
    assert_int_equal(find(&f, "marie curie")->flags, MENTION_PHRASE);
    assert_int_equal(find(&f, "warsaw")->flags, MENTION_CAPITAL);
    assert_true(find(&f, "blue hour")->flags & MENTION_QUOTED);
    assert_null(find(&f, "who"));
    f = in_query("Warsaw");
    assert_true(find(&f, "warsaw")->flags & MENTION_WEAK);
    f = in_query("");
    assert_int_equal(f.n, 0);
}

static void odd_bytes_do_no_harm(void **state)
{
    char text[4096];

    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = (char)(1 + (i * 37 + i / 255) % 255);
    text[sizeof text - 1] = '\0';
    assert_true(in_text(text).n <= MENTIONS_MAX);
    assert_true(in_query(text).n <= MENTIONS_MAX);
    memset(text, 'A', sizeof text - 1);
    assert_int_equal(in_text(text).n, 1); /* a word is cut at 64 bytes */
}

static int setup(void **state)
{
    (void)state;
    arena = arena_new(64u << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_name_things),
        cmocka_unit_test(the_first_word_of_a_sentence_is_weak),
        cmocka_unit_test(titles_are_names),
        cmocka_unit_test(queries_mean_any_run_of_words),
        cmocka_unit_test(odd_bytes_do_no_harm),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
