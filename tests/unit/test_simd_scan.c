/* Every twin of the scans over codes against the scalar oracle: the same bits, at any length, alignment and filter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simd.h"

#define EACH(k) (size_t ki_ = 0; ((k) = simd_available(ki_)) != NULL; ki_++)

/* xorshift64*: the same values in every run and on every machine */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* A heap block of exactly size bytes that starts `shift` bytes after one that malloc would align. */
struct shifted {
    unsigned char *block, *p;
};

static struct shifted shifted(size_t size, size_t shift)
{
    struct shifted s;

    s.block = malloc(size + shift + 1); /* malloc(0) may be NULL */
    assert_non_null(s.block);
    s.block = realloc(s.block, size + shift ? size + shift : 1);
    assert_non_null(s.block);
    s.p = s.block + shift;
    return s;
}

static const struct simd_kernels *oracle(void)
{
    return simd_choose("scalar", NULL, 0);
}

/* ---- the transform */

static float *random_floats(size_t n, uint64_t *state)
{
    float *x = malloc(n * sizeof *x);

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = ldexpf((float)(int64_t)draw(state), -60 - (int)(draw(state) % 8));
    return x;
}

static void hadamard_is_the_same_everywhere(void **unused)
{
    const struct simd_kernels *k;
    uint64_t state = 1;

    (void)unused;
    for
        EACH(k)
    for (size_t n = 1; n <= 4096; n *= 2) {
        float *x = random_floats(n, &state), *want = malloc(n * sizeof *want);
        struct shifted got = shifted(n * sizeof *x, 4);

        assert_non_null(want);
        memcpy(want, x, n * sizeof *x);
        memcpy(got.p, x, n * sizeof *x);
        oracle()->hadamard(want, n);
        k->hadamard((float *)(void *)got.p, n);
        assert_memory_equal(got.p, want, n * sizeof *want);
        free(got.block);
        free(want);
        free(x);
    }
}

/* The sign of the transform's matrix at (i, j) is the parity of i & j. */
static void hadamard_is_the_transform(void **unused)
{
    uint64_t state = 2;

    (void)unused;
    for (size_t n = 1; n <= 512; n *= 2) {
        float *x = random_floats(n, &state), *got = malloc(n * sizeof *got);

        assert_non_null(got);
        memcpy(got, x, n * sizeof *x);
        oracle()->hadamard(got, n);
        for (size_t i = 0; i < n; i++) {
            double sum = 0, size = 0;

            for (size_t j = 0; j < n; j++) {
                sum += (__builtin_popcountll(i & j) & 1 ? -1.0 : 1.0) * (double)x[j];
                size += fabs((double)x[j]);
            }
            assert_true(fabs(sum - (double)got[i]) <= 12 * 0x1p-24 * size);
        }
        free(got);
        free(x);
    }
}

/* ---- 1-bit codes */

struct bits_case {
    size_t columns, blocks, shift;
    int filter;   /* 0 none, 1 every other block, 2 no block, 3 random words */
    bool is_full; /* every entry at its largest, every bit set */
    bool is_listed;
};

static void fill_wanted(uint64_t *wanted, size_t blocks, int filter, uint64_t *state)
{
    for (size_t b = 0; b < blocks; b++)
        wanted[b] = filter == 1 ? b & 1 : filter == 2 ? 0 : draw(state) & draw(state);
}

/* Any blocks in any order, the last one among them; of exactly that size. */
static uint32_t *draw_list(size_t blocks, uint64_t *state)
{
    uint32_t *list = malloc(blocks ? blocks * sizeof *list : 1);

    assert_non_null(list);
    for (size_t b = 0; b < blocks; b++)
        list[b] = b == blocks / 2 ? (uint32_t)blocks - 1 : (uint32_t)((draw(state) >> 33) % blocks);
    return list;
}

static void check_bits(const struct simd_kernels *k, struct bits_case c)
{
    uint64_t state = c.columns * 31 + c.blocks * 7 + c.shift + 1;
    size_t n = c.blocks * SCAN_BLOCK;
    struct shifted codes = shifted(n * c.columns, c.shift), tables = shifted(c.columns * SCAN_TABLE, c.shift);
    uint64_t *wanted = malloc(c.blocks * sizeof *wanted + 1);
    struct shifted got = shifted(n * sizeof(uint16_t), 2 * c.shift), want = shifted(n * sizeof(uint16_t), 0);
    uint32_t *list = c.is_listed ? draw_list(c.blocks, &state) : NULL;
    struct scan_bits s = {codes.p, tables.p, c.columns, c.filter ? wanted : NULL, c.blocks, (uint16_t *)(void *)got.p, list};

    assert_non_null(wanted);
    for (size_t i = 0; i < n * c.columns; i++)
        codes.p[i] = c.is_full ? 255 : (uint8_t)(draw(&state) >> 56);
    for (size_t i = 0; i < c.columns * SCAN_TABLE; i++)
        tables.p[i] = c.is_full ? SCAN_ENTRY_MAX : (uint8_t)((draw(&state) >> 33) % (SCAN_ENTRY_MAX + 1));
    fill_wanted(wanted, c.blocks, c.filter, &state);
    memset(got.p, 0xaa, n * sizeof(uint16_t));
    memset(want.p, 0xaa, n * sizeof(uint16_t));
    k->scan_bits(&s);
    s.sums = (uint16_t *)(void *)want.p;
    oracle()->scan_bits(&s);
    assert_memory_equal(got.p, want.p, n * sizeof(uint16_t));
    if (c.is_full && n && !c.filter)
        assert_int_equal(s.sums[n - 1], 2 * SCAN_ENTRY_MAX * c.columns);
    free(codes.block);
    free(tables.block);
    free(got.block);
    free(want.block);
    free(wanted);
    free(list);
}

static void bits_of_every_length(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t columns = 0; columns <= SCAN_COLUMNS_MAX; columns += columns < 80 ? 2 : 54)
        for (size_t blocks = 0; blocks <= 3; blocks++)
            check_bits(k, (struct bits_case){.columns = columns, .blocks = blocks, .shift = (columns / 2) % 17});
}

static void bits_at_every_alignment_and_filter(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t shift = 0; shift < 64; shift++)
        for (int filter = 0; filter <= 3; filter++)
            check_bits(k, (struct bits_case){.columns = 64, .blocks = 4, .shift = shift, .filter = filter});
}

static void bits_of_listed_blocks(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t blocks = 0; blocks <= 9; blocks++)
        for (int filter = 0; filter <= 3; filter++)
            check_bits(k, (struct bits_case){
                              .columns = 10, .blocks = blocks, .shift = blocks, .filter = filter, .is_listed = true });
}

static void bits_do_not_overflow(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    check_bits(k, (struct bits_case){.columns = SCAN_COLUMNS_MAX, .blocks = 2, .is_full = true});
}

/* What a table's entry is for, said the long way: the sum of u where a bit is set and of 15 − u where it is not. */
static void bits_known_values(void **unused)
{
    enum { COLUMNS = 8, WIDTH = 64 };
    uint8_t u[WIDTH], tables[COLUMNS * SCAN_TABLE], codes[COLUMNS * SCAN_BLOCK];
    uint16_t sums[SCAN_BLOCK];
    uint64_t state = 3;
    const struct simd_kernels *k;

    (void)unused;
    for (size_t i = 0; i < WIDTH; i++)
        u[i] = (uint8_t)(draw(&state) >> 60);
    for (size_t t = 0; t < 2 * COLUMNS; t++)
        for (size_t v = 0; v < 16; v++) {
            tables[16 * t + v] = 0;
            for (size_t bit = 0; bit < 4; bit++)
                tables[16 * t + v] = (uint8_t)(tables[16 * t + v] + (v >> bit & 1 ? u[4 * t + bit] : 15 - u[4 * t + bit]));
        }
    for (size_t i = 0; i < sizeof codes; i++)
        codes[i] = (uint8_t)(draw(&state) >> 56);
    for
        EACH(k)
        {
            k->scan_bits(&(struct scan_bits){codes, tables, COLUMNS, NULL, 1, sums, NULL});
            for (size_t r = 0; r < SCAN_BLOCK; r++) {
                unsigned want = 0;

                for (size_t i = 0; i < WIDTH; i++)
                    want += codes[i / 8 * SCAN_BLOCK + r] >> i % 8 & 1 ? u[i] : 15u - u[i];
                assert_int_equal(sums[r], want);
            }
        }
}

/* ---- picking */

static void check_pick(const struct simd_kernels *k, size_t blocks, size_t shift, bool filtered, float floor, bool is_listed)
{
    uint64_t state = blocks * 64 + shift + 1;
    size_t n = blocks * SCAN_BLOCK;
    struct shifted sums = shifted(n * 2, 2 * shift), factors = shifted(n * 4, 4 * shift);
    uint64_t *wanted = malloc(blocks * 8 + 1), *got = malloc(blocks * 8 + 1), *want = malloc(blocks * 8 + 1);
    struct scan_pick s = { (uint16_t *)(void *)sums.p, (float *)(void *)factors.p, -3840, floor, filtered ? wanted : NULL,
                           blocks, got, is_listed ? draw_list(blocks, &state) : NULL };
    size_t n_got, n_want;

    assert_true(wanted && got && want);
    for (size_t i = 0; i < n; i++) {
        ((uint16_t *)(void *)sums.p)[i] = (uint16_t)(draw(&state) % 7681);
        ((float *)(void *)factors.p)[i] = draw(&state) % 8 ? (float)(draw(&state) % 1000) * 1e-3f : 0;
    }
    fill_wanted(wanted, blocks, 3, &state);
    n_got = k->scan_pick(&s);
    s.picked = want;
    n_want = oracle()->scan_pick(&s);
    assert_int_equal(n_got, n_want);
    assert_memory_equal(got, want, blocks * 8);
    free(sums.block);
    free(factors.block);
    free((void *)(uintptr_t)s.list);
    free(wanted);
    free(got);
    free(want);
}

static void picks_are_the_same_everywhere(void **unused)
{
    static const float FLOORS[] = {-INFINITY, -100, 0, 0.5f, 1234.5f, INFINITY};
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t blocks = 0; blocks <= 5; blocks++)
        for (size_t shift = 0; shift < 32; shift++)
            for (size_t f = 0; f < sizeof FLOORS / sizeof FLOORS[0]; f++)
                check_pick(k, blocks, shift, f & 1, FLOORS[f], f & 2);
}

static void what_equals_the_floor_is_picked(void **unused)
{
    uint16_t sums[SCAN_BLOCK];
    float factors[SCAN_BLOCK];
    uint64_t picked;
    const struct simd_kernels *k;

    (void)unused;
    for (size_t r = 0; r < SCAN_BLOCK; r++) {
        sums[r] = (uint16_t)(100 + r);
        factors[r] = 0.5f;
    }
    for
        EACH(k)
        {
            struct scan_pick s = {sums, factors, -100, 10, NULL, 1, &picked, NULL};

            assert_int_equal(k->scan_pick(&s), SCAN_BLOCK - 20);
            assert_true(picked == UINT64_MAX << 20);
        }
}

/* ---- int8 codes */

static void check_i8(const struct simd_kernels *k, size_t columns, size_t n, size_t shift, int value)
{
    enum { ROWS = 23 };
    uint64_t state = columns + n * 3 + shift + 1;
    struct shifted codes = shifted(columns * ROWS, shift), query = shifted(columns, shift);
    uint32_t *rows = malloc(n * sizeof *rows + 1);
    int32_t *got = malloc(n * sizeof *got + 1), *want = malloc(n * sizeof *want + 1);
    struct scan_i8 s = {(int8_t *)query.p, (int8_t *)codes.p, columns, rows, n, got};

    assert_true(rows && got && want);
    rows = realloc(rows, n ? n * sizeof *rows : 1); /* to their exact size */
    got = realloc(got, n ? n * sizeof *got : 1);
    assert_true(rows && got);
    s.rows = rows;
    s.dots = got;
    for (size_t i = 0; i < columns * ROWS; i++)
        codes.p[i] = (unsigned char)(value ? value : (int)(draw(&state) >> 56));
    for (size_t i = 0; i < columns; i++)
        query.p[i] = (unsigned char)(value ? value : (int)(draw(&state) >> 56));
    for (size_t i = 0; i < n; i++)
        rows[i] = (uint32_t)(draw(&state) % ROWS);
    if (n)
        rows[n - 1] = ROWS - 1; /* the end of the block */
    k->scan_i8(&s);
    s.dots = want;
    oracle()->scan_i8(&s);
    assert_memory_equal(got, want, n * sizeof *got);
    free(codes.block);
    free(query.block);
    free(rows);
    free(got);
    free(want);
}

static void i8_of_every_length(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t columns = 0; columns <= 8 * SCAN_COLUMNS_MAX; columns += columns < 1024 ? 64 : 512)
        for (size_t n = 0; n <= 19; n++)
            check_i8(k, columns, n, (columns / 64 + n) % 64, 0);
}

static void i8_extremes(void **unused)
{
    static const int VALUES[] = {-128, 127, -1, 1};
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t v = 0; v < 4; v++)
        check_i8(k, 8 * SCAN_COLUMNS_MAX, 9, v, VALUES[v]);
}

static void i8_known_values(void **unused)
{
    int8_t query[64], codes[2 * 64];
    uint32_t rows[] = {1, 0, 1};
    int32_t dots[3];
    const struct simd_kernels *k;

    (void)unused;
    for (int i = 0; i < 64; i++) {
        query[i] = (int8_t)(i - 32);
        codes[i] = 1;
        codes[64 + i] = (int8_t)(i - 32);
    }
    for
        EACH(k)
        {
            k->scan_i8(&(struct scan_i8){query, codes, 64, rows, 3, dots});
            assert_int_equal(dots[0], 21856); /* Σ of the squares of −32 … 31 */
            assert_int_equal(dots[1], -32);
            assert_int_equal(dots[2], 21856);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hadamard_is_the_same_everywhere),
        cmocka_unit_test(hadamard_is_the_transform),
        cmocka_unit_test(bits_of_every_length),
        cmocka_unit_test(bits_at_every_alignment_and_filter),
        cmocka_unit_test(bits_of_listed_blocks),
        cmocka_unit_test(bits_do_not_overflow),
        cmocka_unit_test(bits_known_values),
        cmocka_unit_test(picks_are_the_same_everywhere),
        cmocka_unit_test(what_equals_the_floor_is_picked),
        cmocka_unit_test(i8_of_every_length),
        cmocka_unit_test(i8_extremes),
        cmocka_unit_test(i8_known_values),
    };

    for (size_t i = 0; simd_available(i); i++)
        print_message("kernels: %s\n", simd_available(i)->name);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
