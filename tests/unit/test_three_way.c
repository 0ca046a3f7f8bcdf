/* Two changes of one value put together: what fits, what clashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours is another one */

#include "arena.h"
#include "three_way.h"

static struct arena *a;

static int begin(void **state)
{
    (void)state;
    a = arena_new(1 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(a);
    return 0;
}

static struct json *value(const char *text)
{
    struct json *j = NULL;
    const char *why;

    if (text)
        assert_int_equal(json_parse(a, text, strlen(text), &j, &why), JSON_OK);
    return j;
}

static void together(void **state)
{
    static const struct { const char *base, *mine, *theirs, *both, *clashes; } CASES[] = {
        {"{\"a\":1,\"b\":2}", "{\"a\":9,\"b\":2}", "{\"a\":1,\"b\":3}", "{\"a\":9,\"b\":3}", ""},
        {"{\"a\":1}", "{\"a\":1,\"m\":1}", "{\"a\":1,\"t\":2}", "{\"a\":1,\"m\":1,\"t\":2}", ""},
        {"{\"a\":1,\"b\":2}", "{\"a\":1}", "{\"a\":5,\"b\":2}", "{\"a\":5}", ""},
        {"{\"a\":1,\"b\":2}", "{\"a\":5,\"b\":2}", "{\"a\":1}", "{\"a\":5}", ""},
        {"{\"a\":1}", "{\"a\":2}", "{\"a\":2}", "{\"a\":2}", ""},
        {"{\"a\":1}", "{\"a\":2}", "{\"a\":3}", "{\"a\":2}", "a;"},
        {"{\"x\":{\"a\":1,\"b\":1}}", "{\"x\":{\"a\":2,\"b\":1}}", "{\"x\":{\"a\":3,\"b\":3}}", "{\"x\":{\"a\":2,\"b\":3}}", "x.a;"},
        {"{\"l\":[1]}", "{\"l\":[1,2]}", "{\"l\":[1,3]}", "{\"l\":[1,2]}", "l;"},
        {"{\"a\":1,\"b\":1}", "{\"a\":2,\"b\":1}", "{\"b\":1}", "{\"a\":2,\"b\":1}", "a;"},
        {"{\"n\":null}", "{\"n\":null,\"m\":1}", "{\"n\":1}", "{\"n\":1,\"m\":1}", ""},
        {"\"x\"", "\"y\"", "\"x\"", "\"y\"", ""},
        {"\"x\"", "\"y\"", "\"z\"", "\"y\"", "the whole value;"},
        {NULL, "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":3}", "{\"a\":1,\"b\":2}", "b;"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *names[THREE_WAY_CLASHES], *said = "";
        struct strs clashes = {names, 0};
        struct json *both = three_way(a, value(CASES[i].base), value(CASES[i].mine), value(CASES[i].theirs), &clashes);

        assert_true(json_equal(value(json_text(a, both)), value(CASES[i].both)));
        for (size_t k = 0; k < clashes.n; k++)
            said = arena_printf(a, "%s%s;", said, clashes.v[k]);
        assert_string_equal(said, CASES[i].clashes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(together, begin, end)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
