/* Values as people read them: times, amounts, links, pagers, choices and permissions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times), cmocka_unit_test(amounts), cmocka_unit_test(permissions),
        cmocka_unit_test(links), cmocka_unit_test(pagers),  cmocka_unit_test(choices),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
