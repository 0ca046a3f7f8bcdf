/* The router's weights and the expansion by rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* err.h has one of its own */

#include "expand.h"
#include "route.h"
#include "small_world.h"

static double weight(const char *query, enum route r)
{
    double w[ROUTES];

    route_query(query, false, 0, w);
    for (int i = 0; i < ROUTES; i++)
        assert_true(w[i] >= 0 && w[i] <= 1);
    return w[r];
}

static void words_hint_at_routes(void **state)
{
    double w[ROUTES];

    (void)state;
    assert_true(weight("When did we move?", ROUTE_TEMPORAL) > 0.6);
    assert_true(weight("what year was it", ROUTE_TEMPORAL) > 0.7);
    assert_true(weight("who wrote the letter", ROUTE_FACTUAL) > 0.8);
    assert_true(weight("those who wrote letters", ROUTE_FACTUAL) < 0.1); /* only at the beginning */
    assert_true(weight("her favourite colour", ROUTE_PREFERENCE) > 0.8);
    assert_true(weight("how to install it", ROUTE_PROCEDURAL) > 0.9);
    assert_true(weight("he said \"so what\"", ROUTE_QUOTE) > 0.9);
    assert_true(weight("the capital of the country whose king it was", ROUTE_MULTIHOP) > 0.7);
    assert_true(weight("", ROUTE_FACTUAL) <= 0 && weight("kittens purr", ROUTE_TEMPORAL) <= 0);
    route_query("kittens purr", true, 2, w);
    assert_true(w[ROUTE_TEMPORAL] > 0.8 && w[ROUTE_ENTITY] > 0.8 && w[ROUTE_MULTIHOP] > 0.2);
}

static void the_latest_is_asked_for(void **state)
{
    (void)state;
    assert_true(route_recency("what is the latest figure") > 0.1 && route_recency("her most recent letter") > 0.1);
    assert_true(route_recency("most of the recent letters") <= 0 && route_recency("") <= 0);
}

static void rules_expand_names_and_identifiers(void **state)
{
    struct small_world w = world_new();
    struct filter f, half;

    (void)state;
    world_add(&w, 0, 0, "", "we met Marie Curie there", NULL, 0);
    world_add(&w, 1, 1, "", "we met Pierre Curie there", NULL, 0);
    world_seal(&w);
    f = world_filter(&w, 3);
    half = world_filter(&w, 1);
    assert_string_equal(expand_words(w.arena, w.snapshot, &half, "what did Curie find"), " marie curie"); /* 9.5 */
    assert_non_null(strstr(expand_words(w.arena, w.snapshot, &f, "what did Curie find"), "pierre curie"));
    assert_null(expand_words(w.arena, w.snapshot, &f, "what did Cur find"));
    assert_null(expand_words(w.arena, w.snapshot, &f, "plain words, no more."));
    assert_string_equal(expand_words(w.arena, w.snapshot, &f, "why ERR_TOO_MANY?"), " ERR TOO MANY");
    assert_string_equal(expand_words(w.arena, w.snapshot, &f, "the readTimeout setting"), " read Timeout");
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_hint_at_routes),
        cmocka_unit_test(the_latest_is_asked_for),
        cmocka_unit_test(rules_expand_names_and_identifiers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
