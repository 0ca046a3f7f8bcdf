/* Front matter: what it means, what is refused and where, and that nothing hostile gets through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#undef fail

#include "yaml_front.h"

static struct arena *a;

static int yaml_set_up(void **state)
{
    (void)state;
    a = arena_new(64 << 20);
    return 0;
}

static int yaml_tear_down(void **state)
{
    (void)state;
    arena_free(a);
    return 0;
}

static void reads_as(const char *text, const char *json)
{
    struct yaml_fault fault;
    struct json *j = yaml_front_parse(a, text, &fault);

    if (!j)
        print_error("%s: line %d: %s\n", text, fault.line, fault.what);
    assert_non_null(j);
    assert_string_equal(json_text(a, j), json);
}

static void is_refused(const char *text, int line)
{
    struct yaml_fault fault;

    assert_null(yaml_front_parse(a, text, &fault));
    assert_non_null(fault.what);
    assert_int_equal(fault.line, line);
}

static void meanings(void **state)
{
    (void)state;
    reads_as("", "{}");
    reads_as("name: a\ndescription: Use when: x # not this\n", "{\"name\":\"a\",\"description\":\"Use when: x\"}");
    reads_as("a: 'it''s'\r\nb: \"x\\ny\\\"\"\r\n", "{\"a\":\"it's\",\"b\":\"x\\ny\\\"\"}");
    reads_as("tags: [a, 'b c', \"d\"]\nm: {x: 1, y: [2]}\n", "{\"tags\":[\"a\",\"b c\",\"d\"],\"m\":{\"x\":\"1\",\"y\":[\"2\"]}}");
    reads_as("tags:\n  - a\n  - b\nempty:\n", "{\"tags\":[\"a\",\"b\"],\"empty\":\"\"}");
    reads_as("tags:\n- a\n- b\nz: 1\n", "{\"tags\":[\"a\",\"b\"],\"z\":\"1\"}");
    reads_as("# c\nm:\n  x: 1\n\n  n:\n    y: 2\n", "{\"m\":{\"x\":\"1\",\"n\":{\"y\":\"2\"}}}");
    reads_as("t: |\n  one\n   two\n\n  three\nu: >-\n  a\n  b\n", "{\"t\":\"one\\n two\\n\\nthree\\n\",\"u\":\"a b\"}");
    reads_as("d: a text\n  that goes on\ne: f\n", "{\"d\":\"a text that goes on\",\"e\":\"f\"}");
    reads_as("d: [not, closed\ne: \"nor this\n", "{\"d\":\"[not, closed\",\"e\":\"\\\"nor this\"}");
    reads_as("allowed-tools: Bash(git:*) Read\nall: *\nb: **bold**\n",
        "{\"allowed-tools\":\"Bash(git:*) Read\",\"all\":\"*\",\"b\":\"**bold**\"}");
    reads_as("url: https://x.org/a#b\n", "{\"url\":\"https://x.org/a#b\"}");
}

static void refusals(void **state)
{
    char many[YAML_BYTES + 2];

    (void)state;
    is_refused("a: &x [1]\n", 1);
    is_refused("a: 1\nb: *a\n", 2);
    is_refused("a: !!python/object x\n", 1);
    is_refused("<<: {a: 1}\n", 1);
    is_refused("a: 1\nb: 2\na: 3\n", 3);
    is_refused("m: {a: 1, a: 2}\n", 1);
    is_refused("just words\n", 1);
    reads_as("a: 1\n  b: 2\n", "{\"a\":\"1 b: 2\"}");
    is_refused("m:\n  a: 1\n b: 2\n", 3);
    is_refused("\ta: 1\n", 1);
    is_refused("a: x\001y\n", 1);
    is_refused("a:\n b:\n  c:\n   d:\n    e: 1\n", 5);
    is_refused("a: [[[[[1]]]]]\n", 1);
    memset(many, '[', sizeof many);
    memcpy(many, "a: ", 3);
    many[sizeof many - 1] = 0;
    is_refused(many, 1);
    for (size_t i = 0; i + 3 < sizeof many; i += 3)
        memcpy(many + i, "- \n", 3);
    memcpy(many, "a:\n", 3);
    many[3000] = 0;
    is_refused(many, 501);
}

/* Any bytes: it ends, and either a map or a fault comes of it. */
static void noise(void **state)
{
    static const char ALPHABET[] = "ab:-[]{}\"'|>#&*! \n\n  ,\\";
    uint32_t seed = 3;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct yaml_fault fault;
        char text[64];
        size_t n = (size_t)round % 60u;

        for (size_t i = 0; i < n; i++)
            text[i] = ALPHABET[((seed = seed * 1103515245u + 12345u) >> 16) % (sizeof ALPHABET - 1)];
        text[n] = 0;
        assert_true(!yaml_front_parse(a, text, &fault) == (fault.what != NULL));
        if (round % 500 == 0) {
            arena_free(a);
            a = arena_new(64 << 20);
        }
    }
}

static void changes(void **state)
{
    const char *text = "name: a # keep\ntags:\n  - x\n  - y\nodd: {z: 1}\n";
    struct json *tags = json_arr(a);

    (void)state;
    json_push(tags, json_str(a, "p: q"));
    assert_string_equal(yaml_front_with(a, text, "tags", tags), "name: a # keep\ntags:\n  - \"p: q\"\nodd: {z: 1}\n");
    assert_string_equal(yaml_front_with(a, text, "tags", NULL), "name: a # keep\nodd: {z: 1}\n");
    assert_string_equal(yaml_front_with(a, "a: 1\n", "b", json_str(a, "# \"no\"\n")), "a: 1\nb: \"# \\\"no\\\"\\n\"\n");
    reads_as(yaml_front_with(a, "", "b", json_str(a, "line\n\"two\": *x")), "{\"b\":\"line\\n\\\"two\\\": *x\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(meanings, yaml_set_up, yaml_tear_down),
        cmocka_unit_test_setup_teardown(refusals, yaml_set_up, yaml_tear_down),
        cmocka_unit_test_setup_teardown(noise, yaml_set_up, yaml_tear_down),
        cmocka_unit_test_setup_teardown(changes, yaml_set_up, yaml_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
