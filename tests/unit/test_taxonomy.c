/* Weights that learn, and mining: what is found is compared with all sets counted one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#undef fail

#include "plastic.h"
#include "tag.h"
#include "tag_mine.h"

static void near_by(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-9);
}

static void weights(void **state)
{
    struct instant at = {1000 * DAY_US};

    (void)state;
    near_by(plastic_now(.8, .05, 0), .8);
    near_by(plastic_now(.8, .05, 2 * DAY_US), .8 * .95 * .95);
    near_by(plastic_stronger(.2, .1, 1), .28);
    near_by(plastic_stronger(0, .05, 2), .0975);
    near_by(plastic_stronger(1, .1, 5), 1);
    near_by(plastic_now(.2, .05, plastic_decays_at(.2, .05, .1, at).us - at.us) < .1000001 ? 1 : 0, 1);
    assert_true(plastic_decays_at(.05, .05, .1, at).us == at.us);
}

static void slugs(void **state)
{
    struct arena *a = arena_new(64 << 20);

    (void)state;
    assert_string_equal(tag_slug_of(a, "  Beach \t_Yoga- "), "beach-yoga");
    assert_string_equal(tag_slug_of(a, "ÄPFEL"), "äpfel");
    assert_string_equal(tag_slug_of(a, "e\xcc\x81t\xc3\xa9"), "\xc3\xa9t\xc3\xa9");
    assert_string_equal(tag_slug_of(a, " -_ "), "");
    arena_free(a);
}

/* ---- mining */

#define OWNERS 12u
#define ITEMS 6u

static uint32_t seed_ = 7;
static uint32_t mine_random(void)
{
    seed_ = seed_ * 1103515245u + 12345u;
    return seed_ >> 16;
}

/* How many owners have a subject that holds all items of the mask. */
static int64_t owners_of(const uint32_t *held, uint32_t subjects, uint32_t mask)
{
    bool seen[OWNERS] = {false};
    int64_t n = 0;

    for (uint32_t s = 0; s < subjects; s++)
        if ((held[s] & mask) == mask && !seen[s / 2]) {
            seen[s / 2] = true;
            n++;
        }
    return n;
}

static void mining_finds_every_set_and_no_other(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct arena *a = arena_new(64 << 20);
        struct mine_row rows[OWNERS * 2 * ITEMS];
        uint32_t held[OWNERS * 2] = {0}, masks = 0;
        int64_t least = 3;
        struct mined *found;
        size_t n = 0, m;

        for (uint32_t s = 0; s < OWNERS * 2; s++)
            for (uint32_t i = 0; i < ITEMS; i++)
                if (mine_random() % 2) {
                    held[s] |= 1u << i;
                    rows[n++] = (struct mine_row){s / 2, s, i};
                }
        m = tag_mine(a, rows, n, ITEMS, OWNERS, &least, &found);
        for (uint32_t mask = 1; mask < 1u << ITEMS; mask++)
            masks += __builtin_popcount(mask) <= MINE_SIZE && owners_of(held, OWNERS * 2, mask) >= 3;
        assert_int_equal(m, masks);
        for (size_t i = 0; i < m; i++) {
            uint32_t mask = 0;

            for (size_t k = 0; k < found[i].n; k++)
                mask |= 1u << found[i].items[k];
            assert_int_equal(found[i].owners, owners_of(held, OWNERS * 2, mask));
            near_by(found[i].support, (double)found[i].owners / OWNERS);
        }
        assert_int_equal(least, 3);
        arena_free(a);
    }
}

/* 2,001 items that everybody holds are too many: the bound is met, and the answer stays within it. */
static void mining_keeps_its_bounds(void **state)
{
    struct arena *a = arena_new(64 << 20);
    struct mine_row *rows = ARENA_ARRAY(a, struct mine_row, 3 * (MINE_ITEMS + 1));
    struct mined *found;
    int64_t least = 3;
    size_t n = 0;

    (void)state;
    for (uint32_t o = 0; o < 3; o++)
        for (uint32_t i = 0; i <= MINE_ITEMS; i++)
            rows[n++] = (struct mine_row){o, o, i};
    assert_int_equal(tag_mine(a, rows, n, MINE_ITEMS + 1, 3, &least, &found), 0);
    least = 3;
    assert_int_equal(tag_mine(a, rows, 0, 0, 1, &least, &found), 0);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights),
        cmocka_unit_test(slugs),
        cmocka_unit_test(mining_finds_every_set_and_no_other),
        cmocka_unit_test(mining_keeps_its_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
