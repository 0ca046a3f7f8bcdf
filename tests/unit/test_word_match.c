/* How a text answers a query: coverage, closeness, order, titles, names, numbers; and what that makes of a ranking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "english.h"
#include "word_match.h"

static struct word_match match(const char *query, const char *title, const char *body)
{
    return word_match(query_words(arena, english, query, strlen(query)), arena, english, title, body);
}

#define NEAR(a, b) assert_true((a) - (b) < 1e-6f && (b) - (a) < 1e-6f)

static void coverage_counts_words_that_say_something(void **state)
{
    (void)state;
    NEAR(match("Where are the ships waiting?", "", "A ship waits outside.").coverage, 1);
    NEAR(match("Where are the ships waiting?", "", "A ship sails.").coverage, .5f);
    NEAR(match("Where are the ships waiting?", "", "Nothing of it.").coverage, 0);
    NEAR(match("ships ships ships waiting", "", "A ship sails.").coverage, .5f);
    NEAR(match("who are they to be", "", "To be is to do.").coverage > 0, 1);
    NEAR(match("", "", "text").coverage, 0);
    NEAR(match("ships", "Of ships", "").coverage, 1);
}

static double rarity(const void *arg, uint32_t hash)
{
    return hash == term_hash("ship", 4) ? 1 : hash == term_hash("pilot", 5) ? 3 : arg ? 0 : -1;
}

static void rare_words_weigh_more(void **state)
{
    struct query_words *q = query_words(arena, english, "ships pilots harbour", 20);

    (void)state;
    query_words_weigh(q, rarity, NULL);
    NEAR(word_match(q, arena, english, "", "pilot").coverage, .5f);
    NEAR(word_match(q, arena, english, "", "ship").coverage, 1 / 6.f);
    NEAR(word_match(q, arena, english, "", "harbour").coverage, 1 / 3.f);
    /* words that are everywhere say nothing; when all are, each counts the same */
    query_words_weigh(q, rarity, q);
    NEAR(word_match(q, arena, english, "", "harbour").coverage, 0);
    q = query_words(arena, english, "harbour", 7);
    query_words_weigh(q, rarity, q);
    NEAR(word_match(q, arena, english, "", "harbour").coverage, 1);
}

static void closeness_and_order_count(void **state)
{
    struct word_match side = match("marketing budget", "", "The marketing budget was raised.");
    struct word_match apart = match("marketing budget", "", "The budget of the whole department for marketing was raised.");

    (void)state;
    NEAR(side.proximity, 1);
    NEAR(side.phrase, 1);
    NEAR(apart.phrase, 0);
    assert_true(apart.proximity > 0 && apart.proximity < .5f);
    NEAR(match("marketing budget", "", "marketing").proximity, 0);
    NEAR(match("marketing", "", "marketing").proximity, 1);
}

static void names_and_numbers_are_told_apart(void **state)
{
    struct word_match m = match("When did Marie Curie win the prize of 1911?", "", "Pierre Curie shared the prize of 1903.");

    (void)state;
    NEAR(m.names, .5f);
    NEAR(m.numbers, 0);
    NEAR(match("When did Marie Curie win the prize of 1911?", "Marie Curie", "won in 1911").numbers, 1);
    NEAR(match("what is a prize", "", "1911").numbers, 0);
}

static void one_bit_a_word(void **state)
{
    const struct query_words *q = query_words(arena, english, "red green blue", 14);

    (void)state;
    assert_int_equal(q->n, 3);
    assert_int_equal(words_found(q, arena, english, "Blue and red", 12), 5);
    assert_int_equal(words_found(q, arena, english, "", 0), 0);
}

static void a_flood_of_words_is_bounded(void **state)
{
    char *query = arena_alloc(arena, 20001);
    const struct query_words *q;

    (void)state;
    for (size_t i = 0; i < 2000; i++)
        (void)snprintf(query + 10 * i, 11, "wOrd%05zu ", i);
    q = query_words(arena, english, query, 20000);
    assert_int_equal(q->n, QUERY_WORDS);
    assert_true(word_match(q, arena, english, query, query).coverage > .99f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(coverage_counts_words_that_say_something, english_begins, english_ends),
        cmocka_unit_test_setup_teardown(rare_words_weigh_more, english_begins, english_ends),
        cmocka_unit_test_setup_teardown(closeness_and_order_count, english_begins, english_ends),
        cmocka_unit_test_setup_teardown(names_and_numbers_are_told_apart, english_begins, english_ends),
        cmocka_unit_test_setup_teardown(one_bit_a_word, english_begins, english_ends),
        cmocka_unit_test_setup_teardown(a_flood_of_words_is_bounded, english_begins, english_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
