/* Every SIMD twin this machine can run against the scalar oracle, and the choice between them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "aborts.h"
#include "simd.h"

enum { LONGEST = 1600 };

#define EACH(k) (size_t ki_ = 0; ((k) = simd_available(ki_)) != NULL; ki_++)

/* xorshift64*: the same values in every run and on every machine */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static float draw_unit(uint64_t *state)
{
    return (float)((double)(draw(state) >> 11) * 0x1p-52 - 1.0);
}

static void *exact(size_t size)
{
    void *p = malloc(size);

    assert_true(p != NULL || size == 0);
    return p;
}

/* ---- comparison */

/* The budget that simd.h states. */
static void check_f32(const struct simd_kernels *k, const float *a, const float *b, size_t n,
                      const char *what)
{
    double sum = 0, magnitude = 0, budget;
    float got = k->dot_f32(a, b, n);

    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
        magnitude += fabs((double)a[i] * (double)b[i]);
    }
    budget = ((double)n / 16 + 16) * 0x1p-24 * magnitude + (double)n * 0x1p-149;
    if (!(fabs((double)got - sum) <= budget))
        fail_msg("%s dot_f32, %s, n=%zu: got %.9g, exact %.17g, budget %.3g", k->name, what, n, (double)got,
                 sum, budget);
}

static void check_i8(const struct simd_kernels *k, const int8_t *a, const int8_t *b, size_t n,
                     const char *what)
{
    int64_t sum = 0;
    int32_t got = k->dot_i8(a, b, n);

    for (size_t i = 0; i < n; i++)
        sum += (int64_t)a[i] * b[i];
    if (got != sum)
        fail_msg("%s dot_i8, %s, n=%zu: got %d, exact %lld", k->name, what, n, got, (long long)sum);
}

/* ---- f32 values */

typedef float (*f32_maker)(size_t i, uint64_t *state);

static float f32_random(size_t i, uint64_t *state)
{
    (void)i;
    return draw_unit(state);
}

static float f32_denormal(size_t i, uint64_t *state)
{
    (void)i;
    return ldexpf(draw_unit(state), -130);
}

/* Products are denormal, so the sums are, too. */
static float f32_tiny(size_t i, uint64_t *state)
{
    (void)i;
    return ldexpf(draw_unit(state), -67);
}

/* The largest whose LONGEST squares still sum to a float. */
static float f32_huge(size_t i, uint64_t *state)
{
    (void)state;
    return (i & 1 ? -1.0f : 1.0f) * sqrtf(FLT_MAX / (float)(LONGEST + 1));
}

/* 10^±12 side by side: what is small vanishes in a float sum, which is what the budget allows for */
static float f32_mixed(size_t i, uint64_t *state)
{
    return draw_unit(state) * (i % 3 == 0 ? 1e12f : 1e-12f);
}

static float f32_cancelling(size_t i, uint64_t *state)
{
    (void)state;
    return i & 1 ? -1234.5678f : 1234.5679f;
}

static float f32_one(size_t i, uint64_t *state)
{
    (void)i;
    (void)state;
    return 1.0f;
}

static const struct {
    const char *name;
    f32_maker a, b;
} F32_CASES[] = {
    { "random", f32_random, f32_random },
    { "denormal × random", f32_denormal, f32_random },
    { "tiny × tiny", f32_tiny, f32_tiny },
    { "denormal × denormal", f32_denormal, f32_denormal },
    { "huge", f32_huge, f32_huge },
    { "mixed magnitudes", f32_mixed, f32_mixed },
    { "cancelling", f32_cancelling, f32_one },
};

static void f32_case(const struct simd_kernels *k, size_t c, size_t n)
{
    uint64_t state = n + 1;
    float *a = exact(n * sizeof *a), *b = exact(n * sizeof *b);

    for (size_t i = 0; i < n; i++) {
        a[i] = F32_CASES[c].a(i, &state);
        b[i] = F32_CASES[c].b(i, &state);
    }
    check_f32(k, a, b, n, F32_CASES[c].name);
    free(a);
    free(b);
}

static void f32_every_length(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t c = 0; c < sizeof F32_CASES / sizeof F32_CASES[0]; c++)
        for (size_t n = 0; n <= LONGEST; n++)
            f32_case(k, c, n);
}

static void f32_known_values(void **unused)
{
    static const float a[] = {1, 2, 3, 4, 5}, b[] = {10, -20, 30, -40, 50};
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
        {
            float none = k->dot_f32(a, b, 0), all = k->dot_f32(a, b, 5), self = k->dot_f32(a, a, 5);

            assert_true(none == 0 && !signbit(none));
            assert_true(all == 150);
            assert_true(self == 55);
        }
}

static void f32_not_finite(void **unused)
{
    float a[67], b[67];
    const struct simd_kernels *k;

    (void)unused;
    for (size_t i = 0; i < 67; i++)
        a[i] = b[i] = 1.0f;
    for
        EACH(k)
    for (size_t i = 0; i < 67; i++) {
        a[i] = NAN;
        assert_true(isnan(k->dot_f32(a, b, 67)));
        a[i] = -INFINITY;
        assert_true(isinf(k->dot_f32(a, b, 67)) && k->dot_f32(a, b, 67) < 0);
        a[i] = 1.0f;
    }
}

/* ---- int8 values */

typedef int8_t (*i8_maker)(size_t i, uint64_t *state);

static int8_t i8_random(size_t i, uint64_t *state)
{
    (void)i;
    return (int8_t)((int)(draw(state) >> 56) - 128);
}

static int8_t i8_lowest(size_t i, uint64_t *state)
{
    (void)i;
    (void)state;
    return INT8_MIN;
}

static int8_t i8_highest(size_t i, uint64_t *state)
{
    (void)i;
    (void)state;
    return INT8_MAX;
}

static int8_t i8_alternating(size_t i, uint64_t *state)
{
    (void)state;
    return i & 1 ? INT8_MIN : INT8_MAX;
}

/* Pairs of equal extremes: where 16-bit sums of two or four products would saturate. */
static int8_t i8_pairs(size_t i, uint64_t *state)
{
    (void)state;
    return i & 2 ? INT8_MIN : INT8_MAX;
}

static int8_t i8_zero(size_t i, uint64_t *state)
{
    (void)i;
    (void)state;
    return 0;
}

static int8_t i8_minus_one(size_t i, uint64_t *state)
{
    (void)i;
    (void)state;
    return -1;
}

static const i8_maker I8_MAKERS[] = { i8_random, i8_lowest,    i8_highest, i8_alternating,
                                      i8_pairs,  i8_minus_one, i8_zero };
enum { I8_COUNT = sizeof I8_MAKERS / sizeof I8_MAKERS[0] };

static void i8_case(const struct simd_kernels *k, size_t x, size_t y, size_t n)
{
    char what[32];
    uint64_t state = n + 1;
    int8_t *a = exact(n), *b = exact(n);

    for (size_t i = 0; i < n; i++) {
        a[i] = I8_MAKERS[x](i, &state);
        b[i] = I8_MAKERS[y](i, &state);
    }
    snprintf(what, sizeof what, "makers %zu and %zu", x, y);
    check_i8(k, a, b, n, what);
    free(a);
    free(b);
}

static void i8_every_length(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t n = 0; n <= LONGEST; n++)
        for (size_t x = 0; x < I8_COUNT; x++)
            i8_case(k, x, (x + n) % I8_COUNT, n);
}

static void i8_every_pair_of_makers(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t n = 0; n <= 260; n += 1 + n / 40)
        for (size_t xy = 0; xy < I8_COUNT * I8_COUNT; xy++)
            i8_case(k, xy / I8_COUNT, xy % I8_COUNT, n);
}

static void i8_every_pair_of_values(void **unused)
{
    int8_t a[256], b[256];
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (int y = -128; y < 128; y++) {
        for (int x = -128; x < 128; x++) {
            a[x + 128] = (int8_t)x;
            b[x + 128] = (int8_t)y;
        }
        check_i8(k, a, b, 256, "one y, every x");
        for (int x = 0; x < 256; x++)
            check_i8(k, a + x, b + x, 1, "one pair");
    }
}

static void i8_longest(void **unused)
{
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t xy = 0; xy < I8_COUNT * I8_COUNT; xy++)
        i8_case(k, xy / I8_COUNT, xy % I8_COUNT, SIMD_I8_MAX);
}

struct one_past {
    const struct simd_kernels *kernels;
    const int8_t *zeros;
};

static void call_one_past(void *arg)
{
    const struct one_past *o = arg;

    _exit(o->kernels->dot_i8(o->zeros, o->zeros, SIMD_I8_MAX + 1) != 0);
}

static void i8_one_past_longest_is_refused(void **unused)
{
    int8_t *zeros = calloc(1, SIMD_I8_MAX + 1);
    const struct simd_kernels *k;

    (void)unused;
    assert_non_null(zeros);
    for
        EACH(k)
    assert_true(aborts(call_one_past, &(struct one_past){k, zeros}));
    free(zeros);
}

/* ---- memory */

static void unaligned_starts(void **unused)
{
    enum { N = 203, SLACK = 64 };
    float *fa = exact((N + SLACK) * sizeof *fa), *fb = exact((N + SLACK) * sizeof *fb);
    int8_t *ia = exact(N + SLACK), *ib = exact(N + SLACK);
    uint64_t state = 7;
    const struct simd_kernels *k;

    (void)unused;
    for (size_t i = 0; i < N + SLACK; i++) {
        fa[i] = f32_random(i, &state);
        fb[i] = f32_random(i, &state);
        ia[i] = i8_random(i, &state);
        ib[i] = i8_random(i, &state);
    }
    for
        EACH(k)
    for (size_t x = 0; x <= SLACK; x++)
        for (size_t y = 0; y <= SLACK; y += 1 + x % 3) {
            check_f32(k, fa + x, fb + y, N, "unaligned");
            check_i8(k, ia + x, ib + y, N, "unaligned");
        }
    free(fa);
    free(fb);
    free(ia);
    free(ib);
}

/* Three pages, of which only the middle one may be touched: sees what ASan cannot, masked loads for instance.
 */
static unsigned char *fenced_page(size_t page)
{
    unsigned char *p = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + page, page, PROT_READ | PROT_WRITE), 0);
    memset(p + page, 0x3e, page); /* as float 0.186, as int8 62 */
    return p;
}

static void nothing_outside_is_touched(void **unused)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *fence = fenced_page(page), *low = fence + page, *high = fence + 2 * page;
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    for (size_t n = 0; n <= page / 2 && n <= LONGEST; n++) {
        const int8_t *i_low = (const int8_t *)low, *i_high = (const int8_t *)high - n;

        check_i8(k, i_low, i_high, n, "fenced");
        if (n <= page / sizeof(float) / 2) {
            const float *f_low = (const float *)(const void *)low;
            const float *f_high = (const float *)(const void *)(high - n * sizeof(float));

            check_f32(k, f_low, f_high, n, "fenced");
        }
    }
    munmap(fence, 3 * page);
}

/* ---- choice */

static void scalar_is_always_there_and_last(void **unused)
{
    const struct simd_kernels *k, *last = NULL;

    (void)unused;
    for
        EACH(k)
        {
            assert_true(k->name && k->dot_f32 && k->dot_i8);
            last = k;
        }
    assert_non_null(last);
    assert_string_equal(last->name, "scalar");
    assert_null(simd_available(1000));
}

static void each_can_be_forced(void **unused)
{
    char why[200] = "untouched";
    const struct simd_kernels *k;

    (void)unused;
    for
        EACH(k)
    assert_ptr_equal(simd_choose(k->name, why, sizeof why), k);
    assert_ptr_equal(simd_choose(NULL, why, sizeof why), simd_available(0));
    assert_ptr_equal(simd_choose("", why, sizeof why), simd_available(0));
    assert_ptr_equal(simd_choose("auto", why, sizeof why), simd_available(0));
    assert_string_equal(why, "untouched");
}

static void what_is_not_there_is_refused_by_name(void **unused)
{
    static const char *const ALL[] = {"avx512", "avx2", "neon", "AVX2", "avx", "scalar ", "nonsense"};
    size_t refused = 0;

    (void)unused;
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        char why[200] = "";

        if (simd_choose(ALL[i], why, sizeof why))
            continue;
        refused++;
        assert_non_null(strstr(why, ALL[i]));
        assert_non_null(strstr(why, "LOCI_SIMD"));
        for (size_t a = 0; simd_available(a); a++)
            assert_non_null(strstr(why, simd_available(a)->name));
    }
    assert_true(refused >= 5); /* at most avx512 and avx2, or neon, are there */
}

static void a_refusal_fits_any_buffer(void **unused)
{
    char why[8], name[5000];

    (void)unused;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_null(simd_choose(name, why, sizeof why));
    assert_true(memchr(why, '\0', sizeof why) != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_every_length),
        cmocka_unit_test(f32_known_values),
        cmocka_unit_test(f32_not_finite),
        cmocka_unit_test(i8_every_length),
        cmocka_unit_test(i8_every_pair_of_makers),
        cmocka_unit_test(i8_every_pair_of_values),
        cmocka_unit_test(i8_longest),
        cmocka_unit_test(i8_one_past_longest_is_refused),
        cmocka_unit_test(unaligned_starts),
        cmocka_unit_test(nothing_outside_is_touched),
        cmocka_unit_test(scalar_is_always_there_and_last),
        cmocka_unit_test(each_can_be_forced),
        cmocka_unit_test(what_is_not_there_is_refused_by_name),
        cmocka_unit_test(a_refusal_fits_any_buffer),
    };

    for (size_t i = 0; simd_available(i); i++)
        print_message("kernels: %s\n", simd_available(i)->name);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
