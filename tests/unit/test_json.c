/* JSON: what is read and what is refused, that text and tree mean the same, and that size costs only its
 * size. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "json.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct arena *arena;

static int open_arena(void **unused)
{
    (void)unused;
    arena = arena_new((size_t)1 << 30);
    return 0;
}

static int close_arena(void **unused)
{
    (void)unused;
    arena_free(arena);
    return 0;
}

/* Reads from an exact-size heap copy, so that ASan sees any byte read behind the end. */
static enum json_fault parse_n(const char *text, size_t n, struct json **out)
{
    char *exact = malloc(n);
    const char *why = NULL;
    struct json *untouched = *out;
    enum json_fault f;

    assert_true(exact || !n);
    if (n)
        memcpy(exact, text, n);
    f = json_parse(arena, exact, n, out, &why);
    free(exact);
    if (f == JSON_OK)
        assert_non_null(*out);
    else
        assert_true(*out == untouched && why && *why);
    return f;
}

static enum json_fault parse(const char *text, struct json **out)
{
    return parse_n(text, strlen(text), out);
}

static struct json *must(const char *text)
{
    struct json *j = NULL;
    enum json_fault f = parse(text, &j);

    if (f != JSON_OK)
        fail_msg("fault %d: %.100s", (int)f, text);
    return j;
}

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

static char *repeat(const char *piece, size_t times, const char *middle, const char *end_piece)
{
    struct buf b;

    buf_init(&b, arena, 256);
    for (size_t i = 0; i < times; i++)
        buf_puts(&b, piece);
    buf_puts(&b, middle);
    for (size_t i = 0; i < times; i++)
        buf_puts(&b, end_piece);
    buf_puts(&b, "");
    return b.data;
}

static void depth(void **unused)
{
    static const struct {
        const char *open, *middle, *close;
        size_t levels;
    } SHAPES[] = { { "[", "", "]", 1 }, { "{\"a\":", "1", "}", 1 }, { "[{\"a\":", "[]", "}]", 2 } };

    (void)unused;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        size_t inner = i == 2, fit = (JSON_DEPTH_MAX - inner) / SHAPES[i].levels;
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
    assert_true(must(digits)->d > 0.111 && must(digits)->d < 0.112);
    assert_true(must("1e-999999999")->d <= 0);
    assert_true(must("1.7976931348623157e308")->d >= DBL_MAX);
}

static void reasons_name_the_place(void **unused)
{
    struct json *j = NULL;
    const char *why = NULL;

    (void)unused;
    assert_int_equal(json_parse(arena, "[1,\"\\q\"]", 8, &j, &why), JSON_MALFORMED);
    assert_string_equal(why, "malformed JSON, near byte 3");
    assert_int_equal(json_parse(arena, "{\"a\":1,\"a\":2}", 13, &j, &why), JSON_DUPLICATE_KEY);
    assert_non_null(strstr(why, "twice"));
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

/* ---- text and tree mean the same */

static uint64_t draw(void)
{
    static uint64_t state = 20261118;

    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}

static void draw_point(struct buf *b)
{
    static const uint32_t LIMITS[] = { 0x20, 0x7f, 0x80, 0x800, 0x10000, 0x110000 };
    uint32_t point;

    do
        point = (uint32_t)(draw() >> 33) % LIMITS[draw() % COUNT(LIMITS)];
    while (!point || (point >= 0xd800 && point <= 0xdfff));
    if (draw() % 8 == 0)
        point = (uint32_t) "\"\\/<>&\n'"[draw() % 8];
    if (point < 0x80) {
        buf_putc(b, (char)point);
    } else if (point < 0x800) {
        buf_add(b, (char[]){ (char)(0xc0 | point >> 6), (char)(0x80 | (point & 63)) }, 2);
    } else if (point < 0x10000) {
        buf_add(b,
                (char[]){ (char)(0xe0 | point >> 12), (char)(0x80 | (point >> 6 & 63)),
                          (char)(0x80 | (point & 63)) },
                3);
    } else {
        char c[] = { (char)(0xf0 | point >> 18), (char)(0x80 | (point >> 12 & 63)),
                     (char)(0x80 | (point >> 6 & 63)), (char)(0x80 | (point & 63)) };

        buf_add(b, c, 4);
    }
}

static const char *draw_text(void)
{
    struct buf b;

    buf_init(&b, arena, 16);
    for (uint64_t n = draw() % 12; n; n--)
        draw_point(&b);
    return buf_str(&b);
}

static double draw_double(void)
{
    double d;
    uint64_t bits = draw();

    if (draw() % 4 == 0)
        return (double)(int64_t)(draw() % 2000) - 1000;
    memcpy(&d, &bits, sizeof d);
    return isfinite(d) ? d : 0.1;
}

static struct json *draw_tree(int levels)
{
    uint64_t kind = draw() % (levels ? 9 : 6);
    struct json *j;

    switch (kind) {
    case 0: return json_new(arena, JSON_NULL);
    case 1: return json_bool(arena, draw() % 2);
    case 2: return json_int(arena, (int64_t)draw());
    case 3: return json_int(arena, (int64_t)(draw() % 100) - 50);
    case 4: return json_num(arena, draw_double());
    case 5: return json_str(arena, draw_text());
    }
    j = kind == 6 ? json_arr(arena) : json_obj(arena);
    for (uint64_t i = 0, n = draw() % (kind == 8 ? 30 : 6); i < n; i++) {
        struct json *child = draw_tree(levels - 1);

        if (kind == 6)
            json_push(j, child);
        else
            json_set(arena, j, arena_printf(arena, "%llu%s", (unsigned long long)i + 10, draw_text()), child);
    }
    return j;
}

/* The same tree with the members of its objects the other way round. */
static struct json *reversed(const struct json *j)
{
    struct json *r, *members[40];
    size_t n = 0;

    if (!json_is(j, JSON_OBJ) && !json_is(j, JSON_ARR))
        return arena_memdup(arena, j, sizeof *j);
    r = json_new(arena, j->type);
    for (struct json *m = j->first; m; m = m->next) {
        assert_true(n < COUNT(members));
        members[n++] = m;
    }
    for (size_t i = 0; i < n; i++) {
        const struct json *m = members[j->type == JSON_OBJ ? n - 1 - i : i];
        struct json *c = reversed(m);

        c->key = m->key;
        json_push(r, c);
    }
    return r;
}

static void any_tree_survives_its_text(void **unused)
{
    int trees = getenv("LOCI_SLOW") ? 300 : 3000; /* set where valgrind or a sanitizer watches */

    (void)unused;
    for (int i = 0; i < trees; i++) {
        struct json *j = draw_tree(6);
        const char *text = json_text(arena, j);
        struct json *back = must(text), *pretty = must(json_text_pretty(arena, j));
        struct buf html;

        if (!json_equal(j, back) || !json_equal(back, j) || !json_equal(back, pretty))
            fail_msg("not the same: %s", text);
        assert_string_equal(json_text(arena, back), text);
        assert_true(json_equal(j, reversed(back)) && json_equal(reversed(back), j));
        buf_init(&html, arena, 16);
        json_write(&html, j, true);
        assert_null(strchr(buf_str(&html), '<'));
        assert_true(json_equal(j, must(buf_str(&html))));
        if (i % 100 == 0)
            arena_reset(arena);
    }
}

static void doubles_are_written_short_and_exact(void **unused)
{
    static const struct {
        double d;
        const char *text;
    } CASES[] = {
        { 0.1, "0.1" },
        { 1.0 / 3, "0.3333333333333333" },
        { 5e-324, "4.94065645841247e-324" },
        { 1e21, "1e+21" },
        { 0.92, "0.92" },
        { -2.5, "-2.5" },
        { 100, "100" },
        { 1e15, "1e+15" },
        { DBL_MAX, "1.7976931348623157e+308" },
    };

    (void)unused;
    for (size_t i = 0; i < COUNT(CASES); i++)
        assert_string_equal(json_text(arena, json_num(arena, CASES[i].d)), CASES[i].text);
    assert_string_equal(json_text(arena, json_num(arena, (double)NAN)), "null");
    assert_string_equal(json_text(arena, json_num(arena, -(double)INFINITY)), "null");
    assert_string_equal(json_text(arena, json_int(arena, INT64_MIN)), "-9223372036854775808");
    for (int i = 0; i < 20000; i++) {
        double d = draw_double(), back = must(json_text(arena, json_num(arena, d)))->d;

        if (back < d || back > d)
            fail_msg("%.17g comes back as %.17g", d, back);
    }
    arena_reset(arena);
}

static void scripts_cannot_be_closed(void **unused)
{
    struct json *j = json_obj(arena);
    struct buf b;

    (void)unused;
    json_set_str(arena, j, "<k>", "</script><!--<script>");
    buf_init(&b, arena, 0);
    json_write(&b, j, true);
    assert_string_equal(buf_str(&b), "{\"\\u003ck>\":\"\\u003c/script>\\u003c!--\\u003cscript>\"}");
    assert_true(json_equal(j, must(buf_str(&b))));
    assert_string_equal(json_text(arena, j), "{\"<k>\":\"</script><!--<script>\"}");
}

static void building(void **unused)
{
    struct json *j = json_obj(arena), *list = json_set(arena, j, "list", json_arr(arena));

    (void)unused;
    json_push(list, json_int(arena, 1));
    json_push(list, json_raw(arena, "{\"raw\":[1, 2]}"));
    json_push(list, json_raw(arena, NULL));
    json_push(list, json_str(arena, NULL));
    json_set_str(arena, j, "s", "text");
    json_set_str(arena, j, "none", NULL);
    json_set_int(arena, j, "i", -5);
    json_set_bool(arena, j, "b", true);
    assert_string_equal(json_text(arena, j),
                        "{\"list\":[1,{\"raw\":[1, 2]},null,null],\"s\":\"text\",\"none\":null,"
                        "\"i\":-5,\"b\":true}");
    assert_string_equal(json_text_pretty(arena, must("{\"a\":[1,{}]}")),
                        "{\n  \"a\": [\n    1,\n    {\n\n    }\n  ]\n}\n");
    assert_int_equal(list->len, 4);
}

/* ---- asking */

static void asking_never_minds_what_it_asks(void **unused)
{
    struct json *j = must("{\"s\":\"x\",\"i\":7,\"b\":true,\"d\":1.5,\"n\":null,\"o\":{\"s\":\"y\"}}");

    (void)unused;
    assert_string_equal(json_get_str(j, "s"), "x");
    assert_null(json_get_str(j, "i"));
    assert_null(json_get_str(j, "n"));
    assert_null(json_get_str(j, "absent"));
    assert_true(json_get_int(j, "i", -1) == 7);
    assert_true(json_get_int(j, "d", -1) == -1);
    assert_true(json_get_int(j, "absent", -1) == -1);
    assert_true(json_get_bool(j, "b", false));
    assert_true(json_get_bool(j, "i", true));
    assert_string_equal(json_get_str(json_get(j, "o"), "s"), "y");
    assert_null(json_get(json_get(json_get(j, "absent"), "more"), "s"));
    assert_null(json_get(json_get(j, "s"), "s"));
    assert_null(json_get(must("[1]"), "0"));
    assert_false(json_is(NULL, JSON_NULL));
    assert_true(json_is(json_get(j, "n"), JSON_NULL));
}

static void equality(void **unused)
{
    static const char *const SAME[][2] = {
        { "{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}" },
        { "1", "1.0" },
        { "100", "1e2" },
        { "-0", "0.0" },
        { "\"a\"", "\"\\u0061\"" },
        { "[]", "[ ]" },
        { "9223372036854775808", "9.223372036854775808e18" },
    };
    static const char *const OTHER[][2] = {
        { "1", "2" },
        { "1", "\"1\"" },
        { "1", "1.5" },
        { "[1,2]", "[2,1]" },
        { "[1]", "[1,1]" },
        { "{}", "[]" },
        { "null", "false" },
        { "{\"a\":1}", "{\"b\":1}" },
        { "{\"a\":1}", "{}" },
        { "{\"a\":null}", "{\"b\":null}" },
        { "true", "false" },
        { "\"a\"", "\"A\"" },
        { "{\"a\":1}", "{\"a\":2}" },
        { "0", "null" },
        { "9007199254740993", "9007199254740992.0" },
        { "9223372036854775807", "1e300" },
        { "{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}" },
        { "1.5", "1" },
    };

    (void)unused;
    for (size_t i = 0; i < COUNT(SAME); i++) {
        assert_true(json_equal(must(SAME[i][0]), must(SAME[i][1])));
        assert_true(json_equal(must(SAME[i][1]), must(SAME[i][0])));
    }
    for (size_t i = 0; i < COUNT(OTHER); i++)
        if (json_equal(must(OTHER[i][0]), must(OTHER[i][1])) ||
            json_equal(must(OTHER[i][1]), must(OTHER[i][0])))
            fail_msg("%s equals %s", OTHER[i][0], OTHER[i][1]);
    assert_true(json_equal(NULL, NULL));
    assert_false(json_equal(must("null"), NULL) || json_equal(NULL, must("null")));
}

static void merge_patch_as_rfc_7396(void **unused)
{
    static const char *const CASES[][3] = {
        { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
        { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
        { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
        { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
        { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
        { "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
        { "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
        { "{\"a\":\"foo\"}", "null", "null" },
        { "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
        { "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
        { "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
        { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
    };

    (void)unused;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct json *target = must(CASES[i][0]), *patch = must(CASES[i][1]);
        struct json *got = json_merge_patch(arena, target, patch);

        if (!json_equal(got, must(CASES[i][2])))
            fail_msg("case %zu: %s", i, json_text(arena, got));
        assert_string_equal(json_text(arena, target), CASES[i][0]); /* neither is changed */
        assert_string_equal(json_text(arena, patch), CASES[i][1]);
    }
    assert_true(json_equal(json_merge_patch(arena, NULL, must("{\"a\":1}")), must("{\"a\":1}")));
}

/* ---- size costs only its size */

typedef char *(*writer)(size_t n);

static char *flat_array(size_t n)
{
    return arena_printf(arena, "[%s0]", repeat("1,", n, "", ""));
}

static char *empty_arrays(size_t n)
{
    return arena_printf(arena, "[%s0]", repeat("[],", n, "", ""));
}

static char *long_string(size_t n)
{
    return arena_printf(arena, "\"%s\"", repeat("\\n", n, "", ""));
}

static char *members(size_t n)
{
    struct buf b;

    buf_init(&b, arena, n * 16);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s\"member%zu\":%zu", i ? "," : "{", i, i);
    buf_putc(&b, '}');
    return b.data;
}

/* Names whose unkeyed hashes share their low 12 bits: a table hashed that way would become a list. */
static char *colliding_members(size_t n)
{
    static const char LAST[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    struct buf b;
    size_t found = 0;

    buf_init(&b, arena, n * 16);
    for (unsigned i = 0; found < n; i++) {
        char name[16];
        size_t len = (size_t)snprintf(name, sizeof name, "%u", i);
        uint64_t state = 0xcbf29ce484222325u; /* FNV-1a, as in hash_bytes(), but for the last character */

        for (size_t k = 0; k < len; k++)
            state = (state ^ (unsigned char)name[k]) * 0x100000001b3u;
        for (const char *last = LAST; *last && found < n; last++) {
            uint64_t h = (state ^ (unsigned char)*last) * 0x100000001b3u;

            if (((h ^ h >> 29) & 0xfff) != 0)
                continue;
            name[len] = *last;
            assert_true((hash_bytes(name, len + 1, 0) & 0xfff) == 0);
            buf_printf(&b, "%s\"%.*s\":1", found++ ? "," : "{", (int)len + 1, name);
        }
    }
    buf_putc(&b, '}');
    return b.data;
}

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of reading, comparing, writing and merging; the best of three, where it is quick. */
static double cost(const char *text)
{
    size_t n = strlen(text);
    double best = 1e9;

    for (int i = 0; i < 3 && (i == 0 || best < 0.3); i++) {
        struct arena *own = arena_new((size_t)512 << 20);
        struct json *j = NULL;
        const char *why = "";
        double begin = cpu_s(), spent;

        if (json_parse(own, text, n, &j, &why) != JSON_OK)
            fail_msg("%s", why);
        assert_true(json_equal(j, j));
        assert_int_equal(strlen(json_text(own, j)), n);
        json_merge_patch(own, j, j);
        spent = cpu_s() - begin;
        best = spent < best ? spent : best;
        arena_free(own);
    }
    return best;
}

static void cost_is_linear(void **unused)
{
    static const struct {
        const char *name;
        writer write;
        size_t n;
    } SHAPES[] = { { "flat array of 1 MiB", flat_array, 512 * 1024 },
                   { "empty arrays, 1 MiB", empty_arrays, 340 * 1024 },
                   { "string of 1 MiB", long_string, 512 * 1024 },
                   { "object of 100,000 members", members, 100000 } };

    (void)unused;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        double quarter = cost(SHAPES[i].write(SHAPES[i].n / 4)), whole = cost(SHAPES[i].write(SHAPES[i].n));

        print_message("  %s: %.1f ms, %.1f times a quarter of it\n", SHAPES[i].name, whole * 1e3,
                      whole / quarter);
        if (whole / quarter > 11) /* quadratic would be 16 */
            fail_msg("%s costs %.1f times a quarter of it", SHAPES[i].name, whole / quarter);
        arena_reset(arena);
    }
}

static void chosen_names_cost_no_more(void **unused)
{
    double plain = cost(members(4000)), chosen = cost(colliding_members(4000));

    (void)unused;
    print_message("  members that would collide in an unkeyed table cost %.1f times plain ones\n",
                  chosen / plain);
    if (chosen / plain > 5)
        fail_msg("%.1f times", chosen / plain);
    arena_reset(arena);
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
        cmocka_unit_test(duplicate_keys_in_any_place),
        cmocka_unit_test(numbers_out_of_range),
        cmocka_unit_test(reasons_name_the_place),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_wrong_byte_is_survived),
        cmocka_unit_test(any_tree_survives_its_text),
        cmocka_unit_test(doubles_are_written_short_and_exact),
        cmocka_unit_test(scripts_cannot_be_closed),
        cmocka_unit_test(building),
        cmocka_unit_test(asking_never_minds_what_it_asks),
        cmocka_unit_test(equality),
        cmocka_unit_test(merge_patch_as_rfc_7396),
        cmocka_unit_test(cost_is_linear),
        cmocka_unit_test(chosen_names_cost_no_more),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
