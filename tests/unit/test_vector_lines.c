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
static void expect(const struct vector_lines *l, unsigned account, size_t max, size_t n, unsigned first)
{
    struct uuid whose, ids[64];

    assert_int_equal(vector_lines_next(l, &whose, ids, max), n);
    assert_true(uuid_eq(whose, id_of(account)));
    for (size_t i = 0; i < n; i++)
        assert_true(uuid_eq(ids[i], id_of(first + (unsigned)i)));
}

static void accounts_take_turns(void **unused)
{
    struct vector_lines *l = vector_lines_new();
    struct uuid whose, ids[1];

    (void)unused;
    assert_int_equal(vector_lines_next(l, &whose, ids, 1), 0);
    add(l, 1, 100, 10000);
    add(l, 2, 20000, 1);
    expect(l, 1, 64, 64, 100);
    add(l, 1, 30000, 1);                             /* while its turn is */
    vector_lines_served(l, 64);
    expect(l, 2, 64, 1, 20000);
    vector_lines_served(l, 1);
    assert_int_equal(vector_lines_waiting(l), 10000 + 1 - 64);
    expect(l, 1, 64, 64, 164);
    add(l, 2, 20001, 3);
    vector_lines_served(l, 0);                       /* interrupted: nothing is lost */
    expect(l, 2, 2, 2, 20001);
    vector_lines_served(l, 2);
    expect(l, 1, 64, 64, 164);
    assert_int_equal(vector_lines_waiting(l), 10000 + 1 - 64 + 1);
    vector_lines_served(l, SIZE_MAX);                /* all of the first line, and nobody else's */
    expect(l, 2, 64, 1, 20003);
    assert_int_equal(vector_lines_waiting(l), 1);
    vector_lines_free(l);
}

static void one_account_gets_half_of_what_is_left(void **unused)
{
    struct vector_lines *l = vector_lines_new();

    (void)unused;
    assert_int_equal(add(l, 1, 0, PLACES), PLACES / 2);
    assert_int_equal(add(l, 1, 0, 1), 0);
    assert_int_equal(add(l, 2, 0, PLACES), PLACES / 4);
    vector_lines_served(l, 64);
    assert_int_equal(add(l, 1, 0, PLACES), 0);       /* it has far more than what is left */
    assert_true(add(l, 3, 0, 1));
    vector_lines_free(l);
}

static void places_are_used_again(void **unused)
{
    struct vector_lines *l = vector_lines_new();

    (void)unused;
    for (unsigned round = 0; round < 10; round++) {
        assert_int_equal(add(l, round, round * PLACES, PLACES), PLACES / 2);
        for (size_t done = 0; done < PLACES / 2; done += 64) {
            expect(l, round, 64, 64, round * PLACES + (unsigned)done);
            vector_lines_served(l, 64);
        }
        assert_int_equal(vector_lines_waiting(l), 0);
    }
    vector_lines_free(l);
}

static void so_many_accounts_and_no_more(void **unused)
{
    struct vector_lines *l = vector_lines_new();

    (void)unused;
    for (unsigned i = 0; i < ACCOUNTS; i++)
        assert_int_equal(add(l, i, i, 1), 1);
    assert_int_equal(add(l, ACCOUNTS, 0, 1), 0);
    assert_int_equal(add(l, 7, 0, 1), 1);
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        expect(l, i, 1, 1, i);
        vector_lines_served(l, 1);
    }
    expect(l, 7, 64, 1, 0);
    vector_lines_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accounts_take_turns),
        cmocka_unit_test(one_account_gets_half_of_what_is_left),
        cmocka_unit_test(places_are_used_again),
        cmocka_unit_test(so_many_accounts_and_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
