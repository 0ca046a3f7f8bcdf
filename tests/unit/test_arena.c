/* The arena: zeroed and aligned memory, its cap, and what is released with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aborts.h"
#include "arena.h"
#include "block.h"
#include "str.h"

enum { CAP = 8 << 20 };

static void memory_is_zeroed_aligned_and_apart(void **unused)
{
    static const size_t SIZES[] = {0, 1, 15, 16, 17, 255, 4096, 16383, 16384, 16385, 100000, 3 << 20};
    struct arena *a = arena_new(CAP);

    (void)unused;
    for (int round = 0; round < 3; round++) {
        unsigned char *got[sizeof SIZES / sizeof SIZES[0]];

        for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
            got[i] = arena_alloc(a, SIZES[i]);
            assert_int_equal((uintptr_t)got[i] % 16, 0);
            for (size_t k = 0; k < SIZES[i]; k++)
                if (got[i][k] != 0)
                    fail_msg("byte %zu of %zu is not 0 in round %d", k, SIZES[i], round);
            memset(got[i], (int)i + 1, SIZES[i]);
        }
        for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++)
            for (size_t k = 0; k < SIZES[i]; k++)
                if (got[i][k] != i + 1)
                    fail_msg("byte %zu of %zu was overwritten", k, SIZES[i]);
        arena_reset(a);
    }
    arena_free(a);
}

static void many_small_ones(void **unused)
{
    struct arena *a = arena_new(CAP);
    size_t **got = malloc(50000 * sizeof *got);

    (void)unused;
    assert_non_null(got);
    for (size_t i = 0; i < 50000; i++) {
        got[i] = ARENA_NEW(a, size_t);
        *got[i] = i;
    }
    for (size_t i = 0; i < 50000; i++)
        assert_int_equal(*got[i], i);
    assert_true(arena_used(a) >= 50000 * sizeof(size_t));
    free(got);
    arena_free(a);
}

static void reset_gives_memory_back(void **unused)
{
    struct arena *a = arena_new(CAP);
    size_t fresh = arena_used(a);

    (void)unused;
    for (int i = 0; i < 200; i++) { /* more than the cap in all */
        arena_alloc(a, 100000);
        assert_true(arena_used(a) > fresh);
        arena_reset(a);
        assert_int_equal(arena_used(a), fresh);
    }
    arena_free(a);
    arena_free(NULL);
}

static void alloc_to_the_cap(void *arg)
{
    struct arena *a = arena_new(1 << 20);

    arena_alloc(a, (size_t)arg);
    arena_free(a);
}

static void array_that_overflows(void *arena)
{
    arena_array(arena, SIZE_MAX / 2, 3);
}

static void size_that_overflows(void *arena)
{
    arena_alloc(arena, SIZE_MAX - 3);
}

static void the_cap_holds(void **unused)
{
    struct arena *a = arena_new(CAP);

    (void)unused;
    assert_false(aborts(alloc_to_the_cap, (void *)(uintptr_t)((1 << 20) - (16 << 10))));
    assert_true(aborts(alloc_to_the_cap, (void *)(uintptr_t)(1 << 20)));
    assert_true(aborts(array_that_overflows, a));
    assert_true(aborts(size_that_overflows, a));
    arena_free(a);
}

static void copies(void **unused)
{
    struct arena *a = arena_new(CAP);
    const char *text = "grüße", *n;
    char *long_one;

    (void)unused;
    assert_null(arena_strdup(a, NULL));
    assert_string_equal(arena_strdup(a, ""), "");
    assert_string_equal(arena_strdup(a, text), text);
    assert_true(arena_strdup(a, text) != text);
    n = arena_strndup(a, "abcdef", 3);
    assert_string_equal(n, "abc");
    assert_string_equal(arena_strndup(a, NULL, 0), "");
    assert_memory_equal(arena_memdup(a, "a\0b", 3), "a\0b", 3);
    assert_non_null(arena_memdup(a, NULL, 0));
    assert_string_equal(arena_printf(a, "%d-%s", 7, "x"), "7-x");
    for (int k = 250; k < 260; k++) { /* around the length up to which it is printed once */
        const char *s = arena_printf(a, "%0*d", k, 7);

        assert_int_equal(strlen(s), k);
        assert_true(s[0] == '0' && s[k - 1] == '7');
    }
    long_one = arena_printf(a, "%0*d", 70000, 1);
    assert_int_equal(strlen(long_one), 70000);
    assert_int_equal(long_one[69999], '1');
    arena_free(a);
}

static char released[8];

static void note(void *what)
{
    size_t n = strlen(released);

    assert_true(n < sizeof released - 1);
    released[n] = *(const char *)what;
}

static void deferred_run_last_first_and_once(void **unused)
{
    struct arena *a = arena_new(CAP);
    char x = 'x', y = 'y', z = 'z';

    (void)unused;
    memset(released, 0, sizeof released);
    arena_defer(a, note, &x);
    arena_alloc(a, 100000);
    arena_defer(a, note, &y);
    assert_string_equal(released, "");
    arena_reset(a);
    assert_string_equal(released, "yx");
    arena_reset(a);
    assert_string_equal(released, "yx");
    arena_defer(a, note, &z);
    arena_free(a);
    assert_string_equal(released, "yxz");
}

static void data_stops_at_the_soft_limit(void **unused)
{
    struct arena *a = arena_new_soft(1 << 20, CAP);

    (void)unused;
    assert_true(arena_takes(a, 1 << 19));
    assert_false(arena_refused(a));
    arena_alloc(a, 2 << 20); /* not asked for: the cap is far */
    assert_false(arena_takes(a, 0));
    assert_false(arena_takes(a, 0));
    assert_true(arena_refused(a));
    arena_reset(a);
    assert_false(arena_refused(a));
    assert_true(arena_takes(a, (1 << 20) - 1));
    assert_false(arena_takes(a, (1 << 20) + 1));
    assert_false(arena_takes(a, 1)); /* what is incomplete stays incomplete */
    arena_excuse(a);
    assert_true(arena_takes(a, 1));
    assert_false(arena_takes(a, SIZE_MAX));
    arena_free(a);
}

static void a_refusal_leaves_room_to_tell_it(void **unused)
{
    struct arena *a = arena_new_soft(32 << 20, 128 << 20);

    (void)unused;
    arena_alloc(a, 32 << 20);
    assert_false(arena_takes(a, 1 << 20));
    arena_excuse(a);
    assert_true(arena_takes(a, 1 << 20));
    for (int i = 0; i < 1000; i++) { /* a little, not without end */
        arena_excuse(a);
        if (arena_takes(a, 1 << 20))
            arena_alloc(a, 1 << 20);
    }
    assert_true(arena_used(a) < 96 << 20);
    assert_true(arena_refused(a));
    arena_free(a);
}

static void a_text_stops_at_the_soft_limit(void **unused)
{
    struct arena *a = arena_new_soft(1 << 20, CAP);
    static char piece[70000];
    struct buf b;
    size_t len;

    (void)unused;
    memset(piece, 'x', sizeof piece);
    buf_init(&b, a, 0);
    for (int i = 0; i < 1000; i++)
        buf_add(&b, piece, sizeof piece);
    assert_true(arena_refused(a));
    assert_true(b.len > 0 && b.len < 1 << 20 && arena_used(a) <= 1 << 20);
    len = b.len;
    buf_printf(&b, "%0*d", 1 << 20, 1);
    assert_int_equal(b.len, len);
    assert_int_equal(strlen(buf_str(&b)), len);
    arena_free(a);
}

static void rewinding_gives_back_what_came_since(void **unused)
{
    struct arena *a = arena_new_soft(1 << 20, CAP);
    char x = 'x', y = 'y', *before;
    struct arena_mark mark;
    size_t held;

    (void)unused;
    memset(released, 0, sizeof released);
    arena_defer(a, note, &x);
    before = arena_strdup(a, "before");
    held = arena_used(a);
    mark = arena_mark(a);
    for (int i = 0; i < 100; i++) {
        arena_defer(a, note, &y);
        arena_alloc(a, 1 << 19);
        arena_refuse(a);
        arena_rewind(a, mark);
        assert_int_equal(arena_used(a), held);
        assert_false(arena_refused(a));
        assert_string_equal(released, "y");
        memset(released, 0, sizeof released);
    }
    assert_string_equal(before, "before");
    assert_true(arena_peak(a) > 1 << 19);
    assert_int_equal(arena_peak(a), held);
    arena_free(a);
    assert_string_equal(released, "x");
}

/* Two that are large, one that is small: only who has more than its share is refused, and only while both are there. */
static void all_arenas_together_have_a_limit(void **unused)
{
    enum { MIB = 1 << 20 };
    size_t before = block_memory().used;
    struct arena *one = arena_new(64 * MIB), *two = arena_new(64 * MIB), *small = arena_new(64 * MIB);

    (void)unused;
    block_limit(40 * MIB);
    arena_alloc(one, 28 * MIB);
    assert_true(arena_takes(two, BLOCK_SHARE / 2));
    assert_false(arena_takes(two, 20 * MIB));
    assert_true(arena_refused(two) && arena_crowded(two));
    assert_true(arena_takes(small, BLOCK_SHARE / 2));
    arena_free(one);
    arena_reset(two);
    assert_true(arena_takes(two, 20 * MIB) && !arena_crowded(two));
    assert_false(arena_takes(two, 41 * MIB));
    assert_true(arena_refused(two) && !arena_crowded(two)); /* it would not fit if it were alone */
    arena_free(two);
    arena_free(small);
    block_limit(0);
    assert_int_equal(block_memory().used, before);
}

/* What a large request took goes back to the kernel, but for a few blocks. */
static void a_large_arena_leaves_little_behind(void **unused)
{
    struct arena *a = arena_new(512 << 20);

    (void)unused;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++)
            memset(arena_alloc(a, 1 << 20), 1, 1 << 20);
        arena_reset(a);
        assert_true(block_memory().spare <= BLOCK_SPARE);
    }
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(many_small_ones),
        cmocka_unit_test(reset_gives_memory_back),
        cmocka_unit_test(the_cap_holds),
        cmocka_unit_test(copies),
        cmocka_unit_test(deferred_run_last_first_and_once),
        cmocka_unit_test(data_stops_at_the_soft_limit),
        cmocka_unit_test(a_refusal_leaves_room_to_tell_it),
        cmocka_unit_test(a_text_stops_at_the_soft_limit),
        cmocka_unit_test(rewinding_gives_back_what_came_since),
        cmocka_unit_test(all_arenas_together_have_a_limit), cmocka_unit_test(a_large_arena_leaves_little_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
