/* Values as people read them: times, amounts, links, pagers, choices and permissions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "chart.h"
#include "diff.h"
#include "model.h"

static struct arena *arena;

static int open_arena(void **state)
{
    (void)state;
    arena = arena_new(16u << 20);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static const char *text_of(struct json *j)
{
    return json_text(arena, j);
}

static void times(void **state)
{
    struct instant now = civil_instant((struct civil){.year = 2026, .month = 11, .day = 18, .hour = 11, .minute = 26});
    static const struct {
        int64_t seconds_before;
        const char *ago;
    } CASES[] = {
        {0, "just now"}, {59, "just now"}, {60, "1 min ago"}, {3599, "59 min ago"}, {3600, "1 h ago"},
        {2 * 86400 - 1, "47 h ago"}, {2 * 86400, "2 days ago"}, {60 * 86400 - 1, "59 days ago"},
        {60 * 86400, "2 months ago"}, {730 * 86400, "2 years ago"}, {-1, "in a moment"}, {-60, "in 1 min"},
        {-7200, "in 2 h"}, {-3 * 86400, "in 3 days"},
    };

    (void)state;
    assert_string_equal(text_of(model_time(arena, now, now)),
                        "{\"iso\":\"2026-11-18T11:26:00.000000Z\",\"text\":\"18 Nov 2026, 11:26 UTC\",\"ago\":\"just now\"}");
    assert_true(json_is(model_time(arena, (struct instant){0}, now), JSON_NULL));
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct instant t = {now.us - CASES[i].seconds_before * SECOND_US};

        assert_string_equal(json_get_str(model_time(arena, t, now), "ago"), CASES[i].ago);
    }
}

static void amounts(void **state)
{
    (void)state;
    assert_string_equal(model_count(arena, 0), "0");
    assert_string_equal(model_count(arena, 999), "999");
    assert_string_equal(model_count(arena, 1000), "1,000");
    assert_string_equal(model_count(arena, 12345678), "12,345,678");
    assert_string_equal(model_count(arena, -123), "-123");
    assert_string_equal(model_count(arena, -123456), "-123,456");
    assert_string_equal(model_count(arena, INT64_MIN), "-9,223,372,036,854,775,808");
    assert_string_equal(model_bytes(arena, 0), "0 B");
    assert_string_equal(model_bytes(arena, 1023), "1023 B");
    assert_string_equal(model_bytes(arena, 1536), "1.5 KiB");
    assert_string_equal(model_bytes(arena, 1024 * 1024 - 1), "1.0 MiB");
    assert_string_equal(model_bytes(arena, INT64_MAX), "8.0 EiB");
    assert_string_equal(model_duration(arena, 0), "0 ms");
    assert_string_equal(model_duration(arena, 350999), "350 ms");
    assert_string_equal(model_duration(arena, 59999999), "59.9 s");
    assert_string_equal(model_duration(arena, 185 * SECOND_US), "3 min 5 s");
    assert_string_equal(model_duration(arena, 7800 * SECOND_US), "2 h 10 min");
    assert_string_equal(model_duration(arena, 3 * DAY_US + 5400 * SECOND_US), "3 days 1 h");
}

static void permissions(void **state)
{
    struct json *can = json_obj(arena);

    (void)state;
    model_can(arena, can, "account.manage");
    model_can(arena, can, "account.read");
    model_can(arena, can, "account.manage");
    model_can(arena, can, "jobs.run");
    model_can(arena, can, "");
    assert_string_equal(text_of(can), "{\"account\":{\"manage\":true,\"read\":true},\"jobs\":{\"run\":true}}");
}

static void links(void **state)
{
    struct json *query = json_obj(arena);

    (void)state;
    assert_string_equal(model_href(arena, "/admin", NULL), "/admin");
    assert_string_equal(model_href(arena, "/admin", query), "/admin");
    json_set_str(arena, query, "q", "a b&c=\u00e9/?");
    json_set_str(arena, query, "empty", "");
    json_set_str(arena, query, "none", NULL);
    json_set_int(arena, query, "limit", 20);
    assert_string_equal(model_href(arena, "/admin/users", query), "/admin/users?q=a%20b%26c%3D%C3%A9%2F%3F&limit=20");
    assert_string_equal(model_href(arena, "/x?y=1", query), "/x?y=1&q=a%20b%26c%3D%C3%A9%2F%3F&limit=20");
}

static void pagers(void **state)
{
    struct json *query = json_obj(arena);

    (void)state;
    assert_string_equal(text_of(model_pager(arena, "/a", NULL, NULL)), "{\"first\":null,\"next\":null}");
    json_set_str(arena, query, "q", "x");
    assert_string_equal(text_of(model_pager(arena, "/a", query, "c1")), "{\"first\":null,\"next\":\"/a?q=x&cursor=c1\"}");
    json_set_str(arena, query, "cursor", "c1");
    assert_string_equal(text_of(model_pager(arena, "/a", query, "c2")), "{\"first\":\"/a?q=x\",\"next\":\"/a?q=x&cursor=c2\"}");
    assert_string_equal(text_of(model_pager(arena, "/a", query, NULL)), "{\"first\":\"/a?q=x\",\"next\":null}");
}

static void choices(void **state)
{
    static const char *const VALUES[] = {"read", "write"};

    (void)state;
    assert_string_equal(text_of(model_options(arena, VALUES, 2, "write")),
                        "[{\"value\":\"read\",\"text\":\"read\",\"selected\":false},"
                        "{\"value\":\"write\",\"text\":\"write\",\"selected\":true}]");
    assert_string_equal(text_of(model_options(arena, VALUES, 1, NULL)),
                        "[{\"value\":\"read\",\"text\":\"read\",\"selected\":false}]");
    assert_string_equal(text_of(model_badge(arena, "ok", "active")), "{\"kind\":\"ok\",\"text\":\"active\"}");
}

/* ---- differences: applied to what was, they give what is */

static char *applied(const struct json *diff, bool gone)
{
    struct buf b;

    buf_init(&b, arena, 64);
    for (const struct json *r = json_get(diff, "rows")->first; r; r = r->next)
        if (json_get_bool(r, "is_same", false) || json_get_bool(r, gone ? "is_gone" : "is_new", false))
            buf_printf(&b, "%s\n", json_get_str(r, "text"));
    return arena_strdup(arena, buf_str(&b));
}

static void differences(void **state)
{
    struct json *d = model_diff(arena, "one\ntwo\nthree\n", "one\nzwei\nthree\nfour\n");

    (void)state;
    assert_string_equal(json_get_str(d, "n_gone"), "1");
    assert_string_equal(json_get_str(d, "n_new"), "2");
    assert_string_equal(applied(d, true), "one\ntwo\nthree\n");
    assert_string_equal(applied(d, false), "one\nzwei\nthree\nfour\n");
    d = model_diff(arena, "a\nb", "a\nb\n");
    assert_true(json_get_bool(d, "is_same", false));
    d = model_diff(arena, "", "x");
    assert_string_equal(text_of(json_get(d, "rows")), "[{\"is_new\":true,\"text\":\"x\"}]");
    d = model_diff_words(arena, "free on  Monday\n", " free\ton Tuesday now");
    assert_string_equal(applied(d, true), "free\non\nMonday\n");
    assert_string_equal(applied(d, false), "free\non\nTuesday\nnow\n");
    assert_true(json_get_bool(model_diff_words(arena, "", " \n"), "is_same", false));
    assert_true(json_get_bool(model_diff_words(arena, "a", " a\n"), "is_same", false));
}

/* Random texts of few different lines; small enough that nothing is left out, as changes are everywhere. */
static void differences_of_random_texts(void **state)
{
    uint32_t seed = 7;

    (void)state;
    for (int round = 0; round < 400; round++) {
        char text[2][64];

        for (int side = 0; side < 2; side++) {
            size_t n = 0;

            for (uint32_t lines = (seed = seed * 1103515245u + 12345u) >> 16 & 15; lines; lines--) {
                text[side][n++] = (char)('a' + ((seed = seed * 1103515245u + 12345u) >> 16) % 3);
                text[side][n++] = '\n';
            }
            text[side][n] = 0;
        }
        struct json *d = model_diff(arena, text[0], text[1]);
        bool has_gap = strstr(text_of(json_get(d, "rows")), "is_gap") != NULL;

        assert_int_equal(json_get_bool(d, "is_same", false), strcmp(text[0], text[1]) == 0);
        if (!has_gap) {
            assert_string_equal(applied(d, true), text[0]);
            assert_string_equal(applied(d, false), text[1]);
        }
    }
}

static void long_differences(void **state)
{
    struct buf x, y;
    struct json *d;

    (void)state;
    buf_init(&x, arena, 1024);
    buf_init(&y, arena, 1024);
    for (int i = 0; i < 3000; i++) {
        buf_printf(&x, "before %d\n", i);
        buf_printf(&y, "after %d\n", i);
    }
    d = model_diff(arena, buf_str(&x), buf_str(&y)); /* more cells than are looked at: two blocks */
    assert_string_equal(json_get_str(d, "n_gone"), "3,000");
    assert_string_equal(json_get_str(d, "n_new"), "3,000");
    assert_true(json_get_bool(d, "is_cut", false));
    assert_int_equal(json_get(d, "rows")->len, DIFF_ROWS);
    d = model_diff(arena, buf_str(&x), arena_printf(arena, "%s%s", buf_str(&x), "more\n"));
    assert_string_equal(text_of(json_get(d, "rows")->first), "{\"is_gap\":true,\"text\":\"2,997 lines as before\"}");
    assert_int_equal(json_get(d, "rows")->len, 5);
}

/* ---- charts */

static void charts(void **state)
{
    static const char *const X[] = {"Mon", "Tue", "Wed"};
    static const double A[] = {1, 3, 0}, B[] = {3, NAN, 0};
    struct chart bars = {.id = "c", .label = "l", .x_name = "Day", .x = X, .n = 3, .series = {{"one", A}, {"two", B}},
                         .n_series = 2, .is_bars = true, .now = -1};
    struct chart curve = {.id = "c", .label = "l", .x_name = "Day", .x = X, .n = 3, .series = {{"one", B}}, .n_series = 1,
                          .top = 4, .digits = 1, .now = 1};
    struct json *m = model_chart(arena, &bars);

    (void)state;
    assert_string_equal(json_get_str(m, "top"), "5");
    assert_string_equal(json_get_str(m, "middle"), "2.5");
    assert_int_equal(json_get(m, "bars")->len, 3); /* nothing is drawn where there is nothing */
    assert_string_equal(json_get_str(json_get(m, "bars")->first, "height"), "40.0");
    assert_string_equal(text_of(json_get(m, "rows")->first->next), "{\"x\":\"Tue\",\"values\":[\"3\",\"–\"]}");
    m = model_chart(arena, &curve);
    assert_string_equal(json_get_str(json_get(m, "lines")->first, "path"), "M0.0 50.0h0.1M1000.0 200.0h0.1");
    assert_string_equal(json_get_str(m, "now"), "500.0");
    assert_string_equal(json_get_str(m, "middle"), "2.0");
    curve.n = 0;
    assert_string_equal(json_get_str(model_chart(arena, &curve), "first"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times), cmocka_unit_test(amounts), cmocka_unit_test(permissions),
        cmocka_unit_test(links), cmocka_unit_test(pagers),  cmocka_unit_test(choices),
        cmocka_unit_test(differences), cmocka_unit_test(differences_of_random_texts), cmocka_unit_test(long_differences),
        cmocka_unit_test(charts),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
