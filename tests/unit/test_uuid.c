/* Identifiers: version 7, in the order of their making, and a strict reader. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "uuid.h"

static void text_and_back(void **unused)
{
    char text[UUID_TEXT];

    (void)unused;
    for (int i = 0; i < 1000; i++) {
        struct uuid id = uuid_new(1700000000000000 + i), back;

        assert_ptr_equal(uuid_text(id, text), text);
        assert_int_equal(strlen(text), 36);
        assert_true(uuid_parse(text, &back));
        assert_true(uuid_eq(id, back));
        assert_string_equal(UUID_STR(back), text);
    }
}

/* Whatever sizes are drawn, no bytes come twice: a window of eight that repeats in a few thousand would be a fault. */
static void random_bytes_do_not_repeat(void **unused)
{
    enum { SEEN = 4096 };
    static uint64_t seen[SEEN];
    unsigned char bytes[64];
    size_t n = 0;

    (void)unused;
    while (n < SEEN) {
        size_t size = 8 + n % 57;

        random_fill(bytes, size);
        memcpy(&seen[n++], bytes, 8);
        if (size >= 16 && n < SEEN)
            memcpy(&seen[n++], bytes + 8, 8);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_false(seen[i] == seen[k]);
}

static void version_variant_and_time(void **unused)
{
    static const int64_t FAR = 4102444800000000; /* 2100; later than any other call of this process */
    struct uuid id = uuid_new(FAR);
    uint64_t ms = 0;

    (void)unused;
    for (int i = 0; i < 6; i++)
        ms = ms << 8 | id.b[i];
    assert_true(ms == (uint64_t)FAR / 1000);
    assert_int_equal(id.b[6] >> 4, 7);
    assert_int_equal(id.b[8] >> 6, 2);
    for (int i = 0; i < 100; i++) {
        id = uuid_new(FAR);
        assert_int_equal(id.b[6] >> 4, 7);
        assert_int_equal(id.b[8] >> 6, 2);
    }
}

static void order_is_kept(void **unused)
{
    struct uuid last = uuid_new(1700000000000000);

    (void)unused;
    for (int i = 0; i < 100000; i++) {
        /* mostly the same instant, sometimes a clock that was set back */
        struct uuid next = uuid_new(1700000000000000 + (i % 7 == 0 ? -5000000 : i / 50));

        if (uuid_cmp(last, next) >= 0)
            fail_msg("id %d is not behind its predecessor", i);
        last = next;
    }
}

enum { THREADS = 4, EACH = 5000 };
static struct uuid made[THREADS][EACH];

static void *make(void *arg)
{
    struct uuid *mine = arg;

    for (int i = 0; i < EACH; i++)
        mine[i] = uuid_new(1800000000000000);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

static void threads_never_share_one(void **unused)
{
    pthread_t threads[THREADS];
    struct uuid *all = made[0];

    (void)unused;
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, make, made[t]), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    qsort(all, THREADS * EACH, sizeof *all, by_value);
    for (int i = 1; i < THREADS * EACH; i++)
        assert_true(memcmp(all[i - 1].b, all[i].b, 8) < 0); /* already the ordered half differs */
}

static void reading(void **unused)
{
    static const char *const BAD[] = { "",
                                       "0189c5a0-0000-7000-8000-00000000000",
                                       "0189c5a0-0000-7000-8000-0000000000000",
                                       "0189c5a000007000800000000000000000000",
                                       "0189c5a0-0000-7000-8000-00000000000g",
                                       "0189c5a-00000-7000-8000-000000000000",
                                       "{0189c5a0-0000-7000-8000-0000000000}",
                                       " 189c5a0-0000-7000-8000-000000000000",
                                       "0189c5a0-0000-7000-8000-00000000000 ",
                                       "0189c5a0_0000_7000_8000_000000000000",
                                       "-189c5a0-0000-7000-8000-000000000000",
                                       "------------------------------------",
                                       "urn:uuid:0189c5a0-0000-7000-8000-000000000000" };
    struct uuid id, kept;

    (void)unused;
    assert_true(uuid_parse("0189C5A0-aBcD-4000-8000-0000000000fF", &id)); /* any case, any version */
    assert_string_equal(UUID_STR(id), "0189c5a0-abcd-4000-8000-0000000000ff");
    kept = id;
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        if (uuid_parse(BAD[i], &id) || !uuid_eq(id, kept))
            fail_msg("'%s' accepted, or the result touched", BAD[i]);
    assert_false(uuid_parse(NULL, &id));
}

static void the_floor_of_a_time(void **unused)
{
    struct uuid last = uuid_new(0), id, before, after; /* ids never go back: past what other tests here made */
    int64_t ms = 3600 * 1000, now;

    (void)unused;
    for (int i = 0; i < 6; i++)
        ms += (int64_t)last.b[i] << (40 - 8 * i);
    now = ms * 1000;
    id = uuid_new(now);
    before = uuid_floor(now);
    after = uuid_floor(now + 2000);
    assert_true(uuid_cmp(before, id) < 0);
    assert_true(uuid_cmp(id, after) < 0);
}

static void nil(void **unused)
{
    struct uuid none = {{0}}, id;

    (void)unused;
    assert_true(uuid_is_nil(none));
    assert_true(uuid_parse("00000000-0000-0000-0000-000000000000", &id) && uuid_is_nil(id));
    for (int i = 0; i < 16; i++) {
        none.b[i] = 1;
        assert_false(uuid_is_nil(none));
        assert_false(uuid_eq(none, id));
        assert_true(uuid_cmp(none, id) > 0);
        none.b[i] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_back),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(threads_never_share_one),
        cmocka_unit_test(random_bytes_do_not_repeat),
        cmocka_unit_test(version_variant_and_time),
        cmocka_unit_test(reading),
        cmocka_unit_test(the_floor_of_a_time),
        cmocka_unit_test(nil),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
