/* Lists of hosts: read from a setting, spread evenly, moved little, and dead for a while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hosts.h"
#include "str.h"

#define IDS 30000
#define NOW 50000000

static struct arena *arena;
static struct host_name names[HOSTS_MAX];
static size_t n_names;
static const char *why;

static bool parse(const char *text)
{
    why = NULL;
    return hosts_parse(arena, text, 3306, names, &n_names, &why);
}

static void a_list_is_read(void **state)
{
    (void)state;
    assert_true(parse("db1:3307, db2 ,,[::1]:3308 [::2]\t/run/my.sock"));
    assert_int_equal(n_names, 5);
    assert_string_equal(names[0].host, "db1");
    assert_int_equal(names[0].port, 3307);
    assert_string_equal(names[1].text, "db2");
    assert_int_equal(names[1].port, 3306);
    assert_string_equal(names[2].host, "::1");
    assert_int_equal(names[2].port, 3308);
    assert_string_equal(names[3].host, "::2");
    assert_string_equal(names[4].socket, "/run/my.sock");
    assert_true(*names[3].socket == 0 && *names[4].host == 0);
    assert_true(parse(""));
    assert_int_equal(n_names, 0);
}

static void what_is_no_list_is_refused(void **state)
{
    static const char *const WRONG[] = {"db1:0", "db1:65536", "db1:x", ":3306", "[::1", "[]:1", "[::1]x", "::1:3306", "db1 db1"};

    (void)state;
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        assert_false(parse(WRONG[i]));
        assert_non_null(strstr(why, "'"));
    }
    assert_false(parse("a b c d e f g h i j k l m n o p q"));
}

static size_t heaviest(struct uuid id, const uint64_t *keys, size_t n, size_t without)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < n; i++)
        if (i != without && (best == SIZE_MAX || host_weight(id, keys[i]) > host_weight(id, keys[best])))
            best = i;
    return best;
}

static void accounts_are_spread_evenly(void **state)
{
    static const char *const HOSTS[] = {"127.0.0.1:3306", "127.0.0.2:3306", "127.0.0.3:3306", "127.0.0.4:3306"};

    (void)state;
    for (size_t n = 2; n <= 4; n++) {
        size_t of[4] = {0};
        uint64_t keys[4];

        for (size_t i = 0; i < n; i++)
            keys[i] = host_key_of(HOSTS[i]);
        for (int i = 0; i < IDS; i++)
            of[heaviest(uuid_new(1700000000000000 + i * 1000LL), keys, n, SIZE_MAX)]++;
        for (size_t i = 0; i < n; i++)
            assert_true(of[i] > IDS / n * 95 / 100 && of[i] < IDS / n * 105 / 100);
    }
}

static void a_host_that_goes_moves_only_its_own_and_to_all_others(void **state)
{
    uint64_t keys[3] = {host_key_of("a:1"), host_key_of("b:1"), host_key_of("c:1")};
    size_t to[3] = {0};

    (void)state;
    for (int i = 0; i < IDS; i++) {
        struct uuid id = uuid_new(1700000000000000 + i);
        size_t before = heaviest(id, keys, 3, SIZE_MAX), after = heaviest(id, keys, 3, 1);

        if (before == 1)
            to[after]++;
        else
            assert_int_equal(before, after);
    }
    assert_true(to[0] > IDS / 7 && to[2] > IDS / 7 && to[1] == 0);
}

static void the_order_does_not_depend_on_the_list(void **state)
{
    uint64_t keys[3] = {host_key_of("a:1"), host_key_of("b:1"), host_key_of("c:1")}, turned[3] = {keys[2], keys[0], keys[1]};
    struct uuid nobody = {{0}};

    (void)state;
    assert_int_equal(keys[heaviest(nobody, keys, 3, SIZE_MAX)], turned[heaviest(nobody, turned, 3, SIZE_MAX)]);
    for (int i = 0; i < 1000; i++) {
        struct uuid id = uuid_new(1700000000000000 + i);

        assert_true(keys[heaviest(id, keys, 3, SIZE_MAX)] == turned[heaviest(id, turned, 3, SIZE_MAX)]);
    }
}

static void a_host_dies_is_looked_at_less_and_less_often_and_comes_back(void **state)
{
    struct host_state s = {0};
    int64_t now = NOW;

    (void)state;
    assert_true(host_lives(&s) && !host_is_fresh(&s, now) && !host_probe_due(&s, now));
    assert_true(host_died(&s, now));
    assert_false(host_died(&s, now)); /* another thread saw it too */
    assert_false(host_lives(&s));
    assert_false(host_probe_due(&s, now + HOST_PAUSE_FIRST_US - 1));
    assert_true(host_probe_due(&s, now += HOST_PAUSE_FIRST_US));
    assert_false(host_probed(&s, false, now));
    assert_false(host_probe_due(&s, now + 2 * HOST_PAUSE_FIRST_US - 1));
    for (int i = 0; i < 8; i++)
        host_probed(&s, false, now);
    assert_true(host_probe_due(&s, now + HOST_PAUSE_MAX_US));
    assert_true(host_probed(&s, true, now));
    assert_false(host_probed(&s, true, now));
    assert_true(host_lives(&s) && host_is_fresh(&s, now + HOST_FRESH_US - 1) && !host_is_fresh(&s, now + HOST_FRESH_US));
    assert_true(host_died(&s, now)); /* and the pause begins anew */
    assert_true(host_probe_due(&s, now + HOST_PAUSE_FIRST_US));
}

static int begin(void **state)
{
    (void)state;
    arena = arena_new(1 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(accounts_are_spread_evenly),
        cmocka_unit_test(a_host_that_goes_moves_only_its_own_and_to_all_others),
        cmocka_unit_test(the_order_does_not_depend_on_the_list),
        cmocka_unit_test(a_host_dies_is_looked_at_less_and_less_often_and_comes_back),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
