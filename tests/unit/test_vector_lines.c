/* The lines in which nodes wait for their vectors: turns, places, and one account's share of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vector_lines.h"

#define PLACES 65536
#define ACCOUNTS 1024

static struct uuid id_of(unsigned i)
{
    struct uuid id = {{1}};

    memcpy(id.b + 4, &i, sizeof i);
    return id;
}

static size_t add(struct vector_lines *l, unsigned account, unsigned from, size_t n)
{
    static struct uuid ids[PLACES];

    for (size_t i = 0; i < n; i++)
        ids[i] = id_of(from + (unsigned)i);
    return vector_lines_add(l, id_of(account), ids, n);
}

/* Whose turn it is with how many nodes, beginning with which. */
static struct vector_turn expect(struct vector_lines *l, unsigned account, size_t max, size_t n, unsigned first)
{
    struct uuid ids[64];
    struct vector_turn t;

    assert_true(vector_lines_begin(l, ids, max, &t));
    assert_false(t.reads_owed);
    assert_int_equal(t.n, n);
    assert_true(uuid_eq(t.account, id_of(account)));
    for (size_t i = 0; i < n; i++)
        assert_true(uuid_eq(ids[i], id_of(first + (unsigned)i)));
    return t;
}

static void end(struct vector_lines *l, struct vector_turn t)
{
    vector_lines_end(l, &t, NULL, 0, false);
}

static void accounts_take_turns(void **unused)
{
    struct vector_lines *l = vector_lines_new(PLACES);
    struct vector_turn one, two;
    struct uuid left[2] = {id_of(164), id_of(165)};

    (void)unused;
    assert_false(vector_lines_have_work(l));
    add(l, 1, 100, 10000);
    add(l, 2, 20000, 1);
    one = expect(l, 1, 64, 64, 100);
    add(l, 1, 30000, 1);              /* while its turn is */
    two = expect(l, 2, 64, 1, 20000); /* two turns at once */
    assert_int_equal(vector_lines_waiting(l), 10000 + 1 - 64);
    assert_int_equal(vector_lines_waiting_of(l, id_of(1)), 10000 + 1);
    assert_int_equal(vector_lines_waiting_of(l, id_of(2)), 1);
    end(l, one);
    end(l, two);
    assert_int_equal(vector_lines_waiting_of(l, id_of(2)), 0);
    one = expect(l, 1, 2, 2, 164);
    add(l, 2, 20001, 3);
    vector_lines_end(l, &one, left, 2, false); /* interrupted: they come first again, at its next turn */
    two = expect(l, 2, 2, 2, 20001);
    end(l, two);
    one = expect(l, 1, 64, 64, 164);
    vector_lines_end(l, &one, NULL, 0, true); /* all of this line, and nobody else's */
    assert_int_equal(vector_lines_waiting_of(l, id_of(1)), 0);
    end(l, expect(l, 2, 64, 1, 20003));
    assert_int_equal(vector_lines_waiting(l), 0);
    assert_false(vector_lines_have_work(l));
    vector_lines_free(l);
}

static void one_account_gets_half_of_what_is_left(void **unused)
{
    struct vector_lines *l = vector_lines_new(PLACES);
    struct vector_turn t;
    struct uuid ids[64];

    (void)unused;
    assert_int_equal(add(l, 1, 0, PLACES), PLACES / 2);
    assert_int_equal(add(l, 1, 0, 1), 0);
    assert_int_equal(add(l, 2, 0, PLACES), PLACES / 4);
    assert_true(vector_lines_begin(l, ids, 64, &t));
    assert_int_equal(add(l, 3, 0, PLACES), PLACES / 8); /* places of a turn are kept for what it puts back */
    vector_lines_end(l, &t, ids, 64, false);
    assert_int_equal(add(l, 1, 0, PLACES), 0); /* it has far more than what is left */
    vector_lines_free(l);
}

static void places_are_used_again(void **unused)
{
    struct vector_lines *l = vector_lines_new(PLACES);

    (void)unused;
    for (unsigned round = 0; round < 10; round++) {
        assert_int_equal(add(l, round, round * PLACES, PLACES), PLACES / 2);
        for (size_t done = 0; done < PLACES / 2; done += 64)
            end(l, expect(l, round, 64, 64, round * PLACES + (unsigned)done));
        assert_int_equal(vector_lines_waiting(l), 0);
    }
    vector_lines_free(l);
}

static void so_many_accounts_and_no_more(void **unused)
{
    struct vector_lines *l = vector_lines_new(PLACES);

    (void)unused;
    for (unsigned i = 0; i < ACCOUNTS; i++)
        assert_int_equal(add(l, i, i, 1), 1);
    assert_int_equal(add(l, ACCOUNTS, 0, 1), 0);
    assert_false(vector_lines_owe(l, id_of(ACCOUNTS), 1, 5));
    assert_int_equal(add(l, 7, 0, 1), 1);
    for (unsigned i = 0; i < ACCOUNTS; i++)
        end(l, expect(l, i, 1, 1, i));
    end(l, expect(l, 7, 64, 1, 0));
    vector_lines_free(l);
}

/* ---- what is owed */

static struct vector_turn expect_owed(struct vector_lines *l, unsigned account, int64_t since, const char *position)
{
    struct uuid ids[64];
    struct vector_turn t;

    assert_true(vector_lines_begin(l, ids, 64, &t));
    assert_true(t.reads_owed && uuid_eq(t.account, id_of(account)));
    assert_int_equal(t.since_us, since);
    assert_int_equal(t.n_position, strlen(position));
    assert_memory_equal(t.position, position, t.n_position);
    return t;
}

static void found(struct vector_lines *l, struct vector_turn t, unsigned from, size_t n, const char *position, bool more)
{
    struct uuid ids[1000];

    for (size_t i = 0; i < n; i++)
        ids[i] = id_of(from + (unsigned)i);
    vector_lines_end_owed(l, &t, ids, n, (struct bytes){position, strlen(position)}, more);
}

static void what_found_no_place_is_read_when_the_line_is_short(void **unused)
{
    struct vector_lines *l = vector_lines_new(8000);
    struct vector_turn t;

    (void)unused;
    assert_int_equal(add(l, 1, 0, 600), 600);
    assert_true(vector_lines_owe(l, id_of(1), 300, 50));
    assert_int_equal(vector_lines_waiting_of(l, id_of(1)), 900);
    assert_int_equal(vector_lines_waiting(l), 900);
    end(l, expect(l, 1, 64, 64, 0)); /* there are many left */
    end(l, expect(l, 1, 64, 64, 64));
    t = expect_owed(l, 1, 50, "");
    end(l, expect(l, 1, 64, 64, 128)); /* meanwhile another turn serves the line */
    found(l, t, 5000, 100, "here", true);
    assert_int_equal(vector_lines_waiting_of(l, id_of(1)), 900 - 3 * 64);
    t = expect_owed(l, 1, 50, "here");
    assert_true(vector_lines_owe(l, id_of(1), 10, 70)); /* what comes now is not there yet for who reads */
    found(l, t, 6000, 0, "", false);
    found(l, expect_owed(l, 1, 70, ""), 7000, 10, "", false);
    for (size_t left = vector_lines_waiting_of(l, id_of(1)); left; left -= left < 64 ? left : 64) {
        struct uuid ids[64];

        assert_true(vector_lines_begin(l, ids, 64, &t));
        assert_false(t.reads_owed);
        end(l, t);
    }
    assert_false(vector_lines_have_work(l));
    vector_lines_free(l);
}

static void a_portion_without_room_is_read_again(void **unused)
{
    struct vector_lines *l = vector_lines_new(100);
    struct vector_turn t;

    (void)unused;
    add(l, 1, 0, 50);
    vector_lines_owe(l, id_of(1), 200, 9);
    t = expect(l, 1, 64, 50, 0); /* first what is there */
    assert_false(vector_lines_have_work(l));
    end(l, t);
    found(l, expect_owed(l, 1, 9, ""), 1000, 200, "next", true);
    assert_int_equal(vector_lines_waiting(l), 200);
    end(l, expect(l, 1, 64, 50, 1000));
    found(l, expect_owed(l, 1, 9, ""), 1050, 10, "next", true);
    found(l, expect_owed(l, 1, 9, "next"), 0, 0, "", false);
    end(l, expect(l, 1, 64, 10, 1050));
    assert_false(vector_lines_have_work(l));
    vector_lines_free(l);
}

static void nothing_is_owed_to_who_wants_no_vectors(void **unused)
{
    struct vector_lines *l = vector_lines_new(2000);
    struct vector_turn t, owed;

    (void)unused;
    add(l, 1, 0, 100);
    vector_lines_owe(l, id_of(1), 200, 9);
    owed = expect_owed(l, 1, 9, "");
    t = expect(l, 1, 64, 64, 0);
    vector_lines_end(l, &t, NULL, 0, true);
    found(l, owed, 1000, 0, "on", true);
    assert_false(vector_lines_have_work(l));
    assert_int_equal(vector_lines_waiting(l), 0);
    vector_lines_owe(l, id_of(1), 200, 11);
    expect_owed(l, 1, 11, "");
    vector_lines_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accounts_take_turns),
        cmocka_unit_test(one_account_gets_half_of_what_is_left),
        cmocka_unit_test(places_are_used_again),
        cmocka_unit_test(so_many_accounts_and_no_more),
        cmocka_unit_test(what_found_no_place_is_read_when_the_line_is_short),
        cmocka_unit_test(a_portion_without_room_is_read_again),
        cmocka_unit_test(nothing_is_owed_to_who_wants_no_vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
