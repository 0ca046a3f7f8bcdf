/* JSON trees: that text and tree mean the same, asking and merging, and that size costs only its size. */
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

#include "json_help.h"
#include "slow.h"

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
    static const uint32_t LIMITS[] = {0x20, 0x7f, 0x80, 0x800, 0x10000, 0x110000};
    uint32_t point;

    do
        point = (uint32_t)(draw() >> 33) % LIMITS[draw() % COUNT(LIMITS)];
    while (!point || (point >= 0xd800 && point <= 0xdfff));
    if (draw() % 8 == 0)
        point = (uint32_t) "\"\\/<>&\n'"[draw() % 8];
    if (point < 0x80) {
        buf_putc(b, (char)point);
    } else if (point < 0x800) {
        buf_add(b, (char[]){(char)(0xc0 | point >> 6), (char)(0x80 | (point & 63))}, 2);
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
    int trees = slow_times(3000, 300, 60);

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
        { 0.0018990333713971104, "0.0018990333713971104" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 123456789012345.67, "123456789012345.67" },
        { 999999999999999.9, "999999999999999.9" },
        { 0.0001, "0.0001" },
        { 0.00009, "9e-05" },
        { 0x1p-13, "0.0001220703125" },
        { 0x1p40, "1099511627776" },
        { -2.5, "-2.5" },
        { -0.0001, "-0.0001" },
        { 0.0203, "0.0203" },
        { -0.0, "-0" },
        { 0, "0" },
        { -99999999999.0001, "-99999999999.0001" },
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
        double d = draw_double(), back = json_number(must(json_text(arena, json_num(arena, d))));

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
    assert_string_equal(json_text(arena, json_str(arena, "\"\\/\b\f\n\r\t\x01\x1f\x7f\xc3\xa9<")),
                        "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\xc3\xa9<\"");
    assert_string_equal(json_text_pretty(arena, must("{\"a\":[1,{}]}")),
                        "{\n  \"a\": [\n    1,\n    {}\n  ]\n}\n");
    assert_int_equal(list->len, 4);
    assert_int_equal(json_get(json_opened(arena, list->first->next), "raw")->len, 2);
    assert_ptr_equal(json_opened(arena, j), j);
    assert_null(json_opened(arena, json_raw(arena, "{")));
    assert_null(json_opened(arena, NULL));
}

/* ---- asking */

/* Also the only one, the first and the last, which objects know of. */
static void putting_takes_the_place_of_what_is_there(void **unused)
{
    struct json *o = json_obj(arena), *list = json_arr(arena);

    (void)unused;
    json_put(arena, o, "a", json_int(arena, 1));
    json_put(arena, o, "a", json_int(arena, 2));
    json_set_int(arena, o, "b", 3);
    json_set_int(arena, o, "c", 4);
    json_push(list, json_int(arena, 5));
    json_put(arena, o, "c", list);
    json_push(json_put(arena, o, "b", json_arr(arena)), json_int(arena, 6));
    json_set_int(arena, o, "d", 7);
    assert_string_equal(json_text(arena, o), "{\"a\":2,\"b\":[6],\"c\":[5],\"d\":7}");
    assert_int_equal(o->len, 4);
}

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

        if (json_parse_large(own, text, n, (size_t)1 << 20, &j, &why) != JSON_OK)
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
        const char *small = SHAPES[i].write(SHAPES[i].n / 4), *large = SHAPES[i].write(SHAPES[i].n);
        double times = cost(large) / cost(small);

        if (times > 11) /* quadratic would be 16; a busy machine gets a second chance */
            times = cost(large) / cost(small);
        print_message("  %s: %.1f times a quarter of it\n", SHAPES[i].name, times);
        if (times > 11)
            fail_msg("%s costs %.1f times a quarter of it", SHAPES[i].name, times);
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
        cmocka_unit_test(any_tree_survives_its_text),
        cmocka_unit_test(doubles_are_written_short_and_exact),
        cmocka_unit_test(scripts_cannot_be_closed),
        cmocka_unit_test(building),
        cmocka_unit_test(putting_takes_the_place_of_what_is_there),
        cmocka_unit_test(asking_never_minds_what_it_asks),
        cmocka_unit_test(equality),
        cmocka_unit_test(merge_patch_as_rfc_7396),
        cmocka_unit_test(cost_is_linear),
        cmocka_unit_test(chosen_names_cost_no_more),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
