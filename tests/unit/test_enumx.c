/* Enumerations from one list: the names of values, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aborts.h"
#include "enumx.h"

#define COLOUR(X) X(COLOUR_RED, "red") X(COLOUR_DEEP_BLUE, "deep-blue")
ENUMX_DECLARE(colour, COLOUR);
ENUMX_DEFINE(colour, COLOUR);

static void there_and_back(void **unused)
{
    int value = -1;

    (void)unused;
    assert_int_equal(colour_enumx.n, 2);
    assert_string_equal(colour_enumx.type, "colour");
    assert_string_equal(enumx_name(&colour_enumx, COLOUR_DEEP_BLUE), "deep-blue");
    assert_true(enumx_parse(&colour_enumx, "deep-blue", &value) && value == COLOUR_DEEP_BLUE);
    assert_true(enumx_parse(&colour_enumx, "red", &value) && value == COLOUR_RED);
    assert_false(enumx_parse(&colour_enumx, "RED", &value) || enumx_parse(&colour_enumx, "", &value) ||
                 enumx_parse(&colour_enumx, "re", &value) || enumx_parse(&colour_enumx, "red ", &value));
    assert_int_equal(value, COLOUR_RED);
}

static void name_it(void *value)
{
    enumx_name(&colour_enumx, *(const int *)value);
}

static void a_value_that_is_none_is_a_fault(void **unused)
{
    (void)unused;
    assert_true(aborts(name_it, &(int){2}) && aborts(name_it, &(int){-1}));
    assert_false(aborts(name_it, &(int){1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(a_value_that_is_none_is_a_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
