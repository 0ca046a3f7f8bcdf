/* JSON: what is read, what is refused and why. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_help.h"

static void must_fail(const char *text, size_t n, enum json_fault want)
{
    struct json *j = NULL;
    enum json_fault f = parse_n(text, n, &j);

    if (f != want)
        fail_msg("fault %d, wanted %d: %.*s", (int)f, (int)want, (int)(n < 100 ? n : 100), text);
}

/* ---- reading */

static void values(void **unused)
{
    static const struct {
        const char *text, *written;
    } CASES[] = {
        { "null", "null" },
        { " \t\r\n true \n", "true" },
        { "false", "false" },
        { "0", "0" },
        { "-0", "0" },
        { "[]", "[]" },
        { "{}", "{}" },
        { "[ 1 , 2 ]", "[1,2]" },
        { "{\"a\" : [ { } , null ] , \"\" : \"\"}", "{\"a\":[{},null],\"\":\"\"}" },
        { "\"\\u0041\\n\\t\\/\\\\\\\"\\b\\f\\r\"", "\"A\\n\\t/\\\\\\\"\\b\\f\\r\"" },
        { "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"" },
        { "\"\\u00e9\\u20AC\"", "\"\xc3\xa9\xe2\x82\xac\"" },
        { "\"\\u0001\\u001f\x7f\"", "\"\\u0001\\u001F\x7f\"" },
        { "\"\xef\xbf\xbf\xf4\x8f\xbf\xbf\"", "\"\xef\xbf\xbf\xf4\x8f\xbf\xbf\"" },
        { "1.50", "1.50" },
        { "-1.5e-7", "-1.5e-7" },
        { "1E+2", "1E+2" },
        { "9223372036854775807", "9223372036854775807" },
        { "-9223372036854775808", "-9223372036854775808" },
        { "9223372036854775808", "9223372036854775808" },
        { "123456789012345678901234567890", "123456789012345678901234567890" },
        { "1e-400", "1e-400" },
    };

    (void)unused;
    for (size_t i = 0; i < COUNT(CASES); i++)
        assert_string_equal(json_text(arena, must(CASES[i].text)), CASES[i].written);
}

static void types(void **unused)
{
    struct json *j = must("[null,true,7,7.0,\"s\",[],{},1e2,9223372036854775808]");
    static const enum json_type WANT[] = { JSON_NULL, JSON_BOOL, JSON_INT, JSON_NUM, JSON_STR,
                                           JSON_ARR,  JSON_OBJ,  JSON_NUM, JSON_NUM };
    size_t i = 0;

    (void)unused;
    assert_int_equal(j->len, COUNT(WANT));
    for (struct json *m = j->first; m; m = m->next, i++) {
        assert_int_equal(m->type, WANT[i]);
        assert_null(m->key);
    }
    j = must("{\"n\":-42,\"t\":\"x\xc3\xbc\"}");
    assert_string_equal(j->first->key, "n");
    assert_true(j->first->i == -42);
    assert_int_equal(j->last->len, 3);
}

static void refused(void **unused)
{
    static const char *const MALFORMED[] = {
        "",
        " ",
        "nul",
        "nulls",
        "True",
        "NaN",
        "Infinity",
        "-Infinity",
        "undefined",
        "'a'",
        "\"a",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u123g\"",
        "\"\\\"",
        "\"\\",
        "\"\\u",
        "\"\\'\"",
        "\"a\nb\"",
        "\"a\tb\"",
        "\"\x1f\"",
        "01",
        "-01",
        "1.",
        ".5",
        "+1",
        "-",
        "- 1",
        "1e",
        "1e+",
        "0x10",
        "1_000",
        "1,2",
        "1 2",
        "--1",
        "1.e1",
        "1.5.5",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,,2]",
        "[\"a\":1]",
        "[1}",
        "]]]][[[[",
        "[]]",
        "[][]",
        "{",
        "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "{\"a\" 1}",
        "{,}",
        "{\"a\":1]",
        "{}{}",
        "{\"a\":1 \"b\":2}",
        "{\"a\"::1}",
        "{null:1}",
        "{[]:1}",
        "{\"a\":1}x",
        "null null",
        "true,",
        "[] // end",
        "// c\n[]",
        "/* c */ []",
        "[1, /* c */ 2]",
        "[1] /* c */",
        "# c\n[]",
        "\xef\xbb\xbf[]",
        "\xc2\xa0[]",
        "[1]\f",
        "\v[]",
        "[\xc3\xa4]",
        "\\u005b]",
        "[\"a\", \"b\"\\]",
    };

    (void)unused;
    for (size_t i = 0; i < COUNT(MALFORMED); i++)
        must_fail(MALFORMED[i], strlen(MALFORMED[i]), JSON_MALFORMED);
}

static void nul_is_refused_everywhere(void **unused)
{
    static const char *const DOC = "{\"key\": [\"text\", 12, true ] }";
    char text[64];
    size_t n = strlen(DOC);

    (void)unused;
    for (size_t i = 0; i <= n; i++) {
        memcpy(text, DOC, i);
        text[i] = '\0';
        memcpy(text + i + 1, DOC + i, n - i);
        must_fail(text, n + 1, JSON_MALFORMED);
    }
    must_fail("\"a\\u0000b\"", 10, JSON_MALFORMED);
    must_fail("{\"a\\u0000b\":1}", 14, JSON_MALFORMED);
    must_fail("\0", 1, JSON_MALFORMED);
}

static void bad_utf8_is_refused_everywhere(void **unused)
{
    static const char *const BAD[] = {
        "\x80",
        "\xbf",
        "\xc0\xaf",
        "\xc1\xbf",
        "\xc3",
        "\xe0\x80\xaf",
        "\xe0\x9f\xbf",
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xe2\x82",
        "\xf0\x80\x80\xaf",
        "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xf0\x9f\x98",
        "\xf8\x88\x80\x80\x80",
        "\xfe",
        "\xff",
        "\xc0\x80",
        "\xc3\xc3",
    };
    static const char *const FRAMES[] = { "\"%s\"",    "{\"%s\":1}", "[1,%s]", "%s",
                                          "[\"a\"]%s", "\"\\%s\"",   "\"%s" };
    char text[64];

    (void)unused;
    for (size_t i = 0; i < COUNT(BAD); i++)
        for (size_t f = 0; f < COUNT(FRAMES); f++) {
            const char *hole = strchr(FRAMES[f], '%');
            int n =
                snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - FRAMES[f]), FRAMES[f], BAD[i], hole + 2);

            must_fail(text, (size_t)n, JSON_NOT_UTF8);
        }
}

static void lone_surrogates_are_refused(void **unused)
{
    static const char *const BAD[] = { "\"\\ud800\"",        "\"\\udc00\"",         "\"\\ud800\\ud800\"",
                                       "\"\\ud800x\"",       "\"\\ud800\\n\"",      "\"\\udfff\\ud800\"",
                                       "\"\\ud83d\\u0041\"", "\"\\uD83D \\uDE00\"", "\"\\ud83d\\ude0\"",
                                       "{\"\\udbff\":1}",    "\"\\ud83d\\\\ude00\"" };

    (void)unused;
    for (size_t i = 0; i < COUNT(BAD); i++)
        must_fail(BAD[i], strlen(BAD[i]), JSON_MALFORMED);
    must("\"\\ud7ff\\ue000\\uffff\\uDBFF\\uDFFF\"");
}

static void depth(void **unused)
{
    static const struct {
        const char *open, *middle, *close;
        size_t levels;
    } SHAPES[] = { { "[", "", "]", 1 }, { "{\"a\":", "1", "}", 1 }, { "[{\"a\":", "[]", "}]", 2 } };

    (void)unused;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        size_t inner = i == 2, fit = (JSON_DEPTH_READ - inner) / SHAPES[i].levels;
        char *fits = repeat(SHAPES[i].open, fit, SHAPES[i].middle, SHAPES[i].close);
        char *over = repeat(SHAPES[i].open, fit + 1, SHAPES[i].middle, SHAPES[i].close);

        must(fits);
        must_fail(over, strlen(over), JSON_TOO_DEEP);
    }
    for (size_t n = 1000; n <= 300000; n *= 300) {
        char *open = repeat("[", n, "", "");

        must_fail(open, n, JSON_TOO_DEEP);
    }
    must("[\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"]");
    must(arena_printf(arena, "[%s1]", repeat("[],", 5000, "", ""))); /* many, but side by side */
}

static void levels_are_counted(void **unused)
{
    (void)unused;
    assert_int_equal(json_depth(must("1")), 0);
    assert_int_equal(json_depth(must("[]")), 1);
    assert_int_equal(json_depth(must("{\"a\":[1,{}],\"b\":[[[2]]]}")), 4);
}

/* As many as fit, and one more; what a value takes is known before it is read. */
static void number_of_values(void **unused)
{
    static const struct {
        const char *piece, *last;
        size_t values;
    } SHAPES[] = { { "1,", "1", 1 }, { "[],", "[ ]", 1 }, { "[1],", "1", 2 }, { "\"a,b[\",", "\"\"", 1 } };

    (void)unused;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        size_t fit = (JSON_NODES_MAX - 2) / SHAPES[i].values;
        const char *fits = arena_printf(arena, "[%s%s]", repeat(SHAPES[i].piece, fit, "", ""), SHAPES[i].last);
        const char *over = arena_printf(arena, "[%s%s]", repeat(SHAPES[i].piece, fit + 1, "", ""), SHAPES[i].last);
        size_t before = arena_used(arena);

        must(fits);
        assert_true(arena_used(arena) - before < JSON_NODES_MAX * 80 + 2 * strlen(fits) + (4 << 20));
        must_fail(over, strlen(over), JSON_TOO_MANY);
    }
    assert_true(sizeof(struct json) <= 48);
}

static void a_full_arena_takes_no_json(void **unused)
{
    struct arena *a = arena_new_soft(1 << 20, 64 << 20);
    const char *text = arena_printf(arena, "[%s1]", repeat("1,", 100000, "", "")), *why;
    struct json *j;

    (void)unused;
    assert_int_equal(json_parse(a, text, strlen(text), &j, &why), JSON_TOO_MANY);
    assert_true(arena_refused(a) && arena_used(a) < 1 << 20);
    assert_null(json_opened(a, json_raw(a, text)));
    arena_free(a);
}

/* 50,000 names in the opposite order: minutes if each was looked for from the start. */
static void large_objects_in_any_order_are_equal(void **unused)
{
    struct buf one, two;
    struct json *a, *b;

    (void)unused;
    buf_init(&one, arena, 64);
    buf_init(&two, arena, 64);
    for (int i = 0; i < 50000; i++) {
        buf_printf(&one, "%c\"%d\":%d", i ? ',' : '{', i, i);
        buf_printf(&two, "%c\"%d\":%d", i ? ',' : '{', 49999 - i, 49999 - i);
    }
    buf_putc(&one, '}');
    a = must(buf_str(&one));
    buf_puts(&two, "}");
    b = must(buf_str(&two));
    assert_true(json_equal(a, b) && json_equal(b, a));
    a->first->i = 7;
    assert_false(json_equal(a, b) || json_equal(b, a));
}

static void duplicate_keys(void **unused)
{
    static const char *const BAD[] = {
        "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"\":1,\"\":2}",
        "[{\"x\":{\"k\":1,\"k\":1}}]",
        "{\"a\":{},\"b\":1,\"a\":{}}",
        "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"10\":1,\"4\":1}",
        "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"8\":1}",
        "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"9\":1}",
    };

    (void)unused;
    for (size_t i = 0; i < COUNT(BAD); i++)
        must_fail(BAD[i], strlen(BAD[i]), JSON_DUPLICATE_KEY);
    must("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}");
    must("{\"A\":1,\"a\":1,\"a \":1,\"\xc3\xa4\":1,\"a\xcc\x88\":1}");
}

/* In objects of every size up to some hundreds: the last member repeats one of the others. */
static void duplicate_keys_in_any_place(void **unused)
{
    (void)unused;
    for (int n = 1; n < 300; n += 1 + n / 7)
        for (int twin = 0; twin <= n; twin += 1 + n / 5) {
            struct buf b;
            struct json *j = NULL;

            buf_init(&b, arena, 64);
            buf_putc(&b, '{');
            for (int i = 0; i < n; i++)
                buf_printf(&b, "\"k%d\":%d,", i, i);
            buf_printf(&b, "\"k%d\":true}", twin);
            assert_int_equal(parse(buf_str(&b), &j), twin < n ? JSON_DUPLICATE_KEY : JSON_OK);
        }
}

static void numbers_out_of_range(void **unused)
{
    static const char *const BAD[] = { "1e400", "-1e400", "[1E309]", "{\"a\":-1.8e308}",
                                       "1e99999999999999999999" };
    char digits[402];

    (void)unused;
    for (size_t i = 0; i < COUNT(BAD); i++)
        must_fail(BAD[i], strlen(BAD[i]), JSON_BAD_NUMBER);
    memset(digits, '9', 400);
    digits[400] = 0;
    must_fail(digits, 400, JSON_BAD_NUMBER); /* finite text, infinite double */
    memset(digits, '1', 401);
    memcpy(digits, "0.", 2);
    digits[401] = 0;
    must_fail(digits, 401, JSON_BAD_NUMBER);
    digits[400] = 0;
    assert_true(json_number(must(digits)) > 0.111 && json_number(must(digits)) < 0.112);
    assert_true(json_number(must("1e-999999999")) <= 0);
    assert_true(json_number(must("1.7976931348623157e308")) >= DBL_MAX);
}

static void reasons_name_the_place(void **unused)
{
    struct json *j = NULL;
    const char *why = NULL;

    (void)unused;
    assert_int_equal(json_parse(arena, "[1,\"\\q\"]", 8, &j, &why), JSON_MALFORMED);
    assert_string_equal(why, "malformed JSON, near byte 3");
    assert_int_equal(json_parse(arena, "{\"a\":1,\"a\":2}", 13, &j, &why), JSON_DUPLICATE_KEY);
    assert_non_null(strstr(why, "duplicate member"));
    assert_int_equal(json_parse(arena, "\"\xff\"", 3, &j, &why), JSON_NOT_UTF8);
    assert_non_null(strstr(why, "UTF-8"));
    assert_null(j);
}

static const char *const DOCUMENT =
    "{\"id\":\"0189c5a0\",\"n\":[0,-1.5e3,12345678901234567890,true,false,null],\"t\":"
    "\"\xc3\xa4\\u00e4\\ud83d\\ude00\\n\","
    "\"o\":{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9,\"10\":[[[{}]]]}}";

static void every_truncation_is_refused(void **unused)
{
    struct json *j = NULL;

    (void)unused;
    must(DOCUMENT);
    for (size_t n = 0; n < strlen(DOCUMENT); n++)
        if (parse_n(DOCUMENT, n, &j) == JSON_OK)
            fail_msg("the first %zu bytes are accepted", n);
}

/* Whatever one wrong byte makes of it: refused, or a tree that is written and read again as the same. */
static void every_wrong_byte_is_survived(void **unused)
{
    static const char BYTES[] = { 0,   1,   ' ', '"', '\\', '/', ',', ':',    '{',
                                  '}', '[', ']', '0', '-',  'e', 'u', '\x80', '\xc3' };
    char text[400];
    size_t n = strlen(DOCUMENT), accepted = 0;

    (void)unused;
    assert_true(n < sizeof text);
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < sizeof BYTES; b++) {
            struct json *j = NULL;

            memcpy(text, DOCUMENT, n);
            text[i] = BYTES[b];
            if (parse_n(text, n, &j) == JSON_OK) {
                accepted++;
                assert_true(json_equal(j, must(json_text(arena, j))));
            }
        }
    assert_true(accepted > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(types),
        cmocka_unit_test(refused),
        cmocka_unit_test(nul_is_refused_everywhere),
        cmocka_unit_test(bad_utf8_is_refused_everywhere),
        cmocka_unit_test(lone_surrogates_are_refused),
        cmocka_unit_test(depth),
        cmocka_unit_test(duplicate_keys),
        cmocka_unit_test(levels_are_counted),
        cmocka_unit_test(number_of_values),
        cmocka_unit_test(a_full_arena_takes_no_json),
        cmocka_unit_test(large_objects_in_any_order_are_equal),
        cmocka_unit_test(duplicate_keys_in_any_place),
        cmocka_unit_test(numbers_out_of_range),
        cmocka_unit_test(reasons_name_the_place),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_wrong_byte_is_survived),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
