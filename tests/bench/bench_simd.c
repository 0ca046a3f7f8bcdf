/* How near the SIMD kernels come to what this machine can do: its memory bandwidth and its FMA peak, measured
   here. Prints ratios; never fails on them. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif
#ifdef __aarch64__
#include <arm_neon.h>
#endif

#include "simd.h"

enum {
    DIM = 384,               /* of the built-in embedding model */
    CACHED_ROWS = 16,        /* 24 KiB of float32: stays in the first-level cache */
    STREAM_BYTES = 192 << 20 /* larger than any last-level cache */
};
#define MEASURE_S 0.25
#define TRIALS 3

static volatile double sink; /* keeps results alive */

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef double (*work)(const void *arg); /* does some work, returns how much */

/* Units of work per second; the best of some trials, because the machine has other users. */
static double rate(work run, const void *arg)
{
    double best = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        double begin = now_s(), spent = 0, done = 0;

        while (spent < MEASURE_S) {
            done += run(arg);
            spent = now_s() - begin;
        }
        if (done / spent > best)
            best = done / spent;
    }
    return best;
}

/* ---- what the machine can do */

typedef long long wide __attribute__((vector_size(64), may_alias));

/* Reads everything once, with loads only. */
static double read_all(const void *memory)
{
    const wide *p = memory;
    wide a = {0}, b = {0};

    for (size_t i = 0; i < STREAM_BYTES / sizeof *p; i += 2) {
        a ^= p[i];
        b ^= p[i + 1];
    }
    a ^= b;
    sink = (double)(a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7]);
    return STREAM_BYTES;
}

/* Twelve independent chains of FMAs on registers: enough for a latency of 4 to 6 and two units. */
#define FMA_PEAK(name, vector, lanes, attribute, set, fma, first)                                            \
    attribute static double name(const void *unused)                                                         \
    {                                                                                                        \
        vector s[12], x = set(1e-9f);                                                                        \
        enum { ROUNDS = 4096 };                                                                              \
        float sum = 0;                                                                                       \
        (void)unused;                                                                                        \
        for (int c = 0; c < 12; c++)                                                                         \
            s[c] = set((float)c);                                                                            \
        for (int i = 0; i < ROUNDS; i++) {                                                                   \
            s[0] = fma(s[0]);                                                                                \
            s[1] = fma(s[1]);                                                                                \
            s[2] = fma(s[2]);                                                                                \
            s[3] = fma(s[3]);                                                                                \
            s[4] = fma(s[4]);                                                                                \
            s[5] = fma(s[5]);                                                                                \
            s[6] = fma(s[6]);                                                                                \
            s[7] = fma(s[7]);                                                                                \
            s[8] = fma(s[8]);                                                                                \
            s[9] = fma(s[9]);                                                                                \
            s[10] = fma(s[10]);                                                                              \
            s[11] = fma(s[11]);                                                                              \
        }                                                                                                    \
        for (int c = 0; c < 12; c++)                                                                         \
            sum += first(s[c]);                                                                              \
        sink = (double)sum;                                                                                  \
        return 12.0 * ROUNDS * (lanes);                                                                      \
    }

#ifdef __x86_64__
#define FMA256(s) _mm256_fmadd_ps(s, x, x)
#define FMA512(s) _mm512_fmadd_ps(s, x, x)
FMA_PEAK(peak_avx2, __m256, 8, __attribute__((target("avx2,fma"))), _mm256_set1_ps, FMA256, _mm256_cvtss_f32)
FMA_PEAK(peak_avx512, __m512, 16, __attribute__((target("avx512f"))), _mm512_set1_ps, FMA512,
         _mm512_cvtss_f32)
#endif
#ifdef __aarch64__
#define FMA128(s)   vfmaq_f32(x, s, x)
#define FIRST128(s) vgetq_lane_f32(s, 0)
FMA_PEAK(peak_neon, float32x4_t, 4, , vdupq_n_f32, FMA128, FIRST128)
#endif

/* The loop that finds the FMA peak of these kernels' instruction set; NULL for the scalar ones, which have
 * none. */
static work peak_of(const struct simd_kernels *k)
{
#ifdef __x86_64__
    if (strcmp(k->name, "avx512") == 0)
        return peak_avx512;
    if (strcmp(k->name, "avx2") == 0)
        return peak_avx2;
#endif
#ifdef __aarch64__
    if (strcmp(k->name, "neon") == 0)
        return peak_neon;
#endif
    (void)k;
    return NULL;
}

/* ---- what kernels do */

/* One query against rows of a matrix, as a recall does. */
struct scan {
    const struct simd_kernels *kernels;
    const void *query, *rows;
    size_t n;
};

static double scan_f32(const void *arg)
{
    const struct scan *s = arg;
    const float *rows = s->rows;
    float sum = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += s->kernels->dot_f32(s->query, rows + i * DIM, DIM);
    sink = (double)sum;
    return (double)s->n * DIM;
}

static double scan_i8(const void *arg)
{
    const struct scan *s = arg;
    const int8_t *rows = s->rows;
    int64_t sum = 0;

    for (size_t i = 0; i < s->n; i++)
        sum += s->kernels->dot_i8(s->query, rows + i * DIM, DIM);
    sink = (double)sum;
    return (double)s->n * DIM;
}

struct measured {
    double cached, streamed; /* elements per second */
};

static struct measured measure(const struct simd_kernels *k, work run, size_t size, const void *memory)
{
    struct scan cached = {k, memory, memory, CACHED_ROWS};
    struct scan streamed = {k, memory, memory, STREAM_BYTES / (DIM * size)};

    return (struct measured){rate(run, &cached), rate(run, &streamed)};
}

static void print_row(const char *kernels, const char *kernel, struct measured m, struct measured scalar,
                      double memory, double peak)
{
    printf("%-8s %-8s %7.1f x %14.2f", kernels, kernel, m.cached / scalar.cached, m.streamed / memory);
    if (peak > 0)
        printf(" %14.2f", m.cached / peak);
    printf("\n");
}

int main(void)
{
    void *memory = aligned_alloc(64, STREAM_BYTES);
    const struct simd_kernels *k, *scalar = simd_choose("scalar", NULL, 0);
    struct measured scalar_f32, scalar_i8;
    double bandwidth;

    if (!memory)
        return 1;
    memset(memory, 0x3e, STREAM_BYTES); /* as float 0.186, as int8 62 */
    bandwidth = rate(read_all, memory);
    scalar_f32 = measure(scalar, scan_f32, sizeof(float), memory);
    scalar_i8 = measure(scalar, scan_i8, 1, memory);

    printf("dimension %d, one thread\n", DIM);
    printf("%-8s %-8s %9s %14s %14s\n", "kernels", "kernel", "in cache", "from memory", "in cache");
    printf("%-8s %-8s %9s %14s %14s\n", "", "", "vs scalar", "of bandwidth", "of FMA peak");
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++) {
        struct measured f32 = measure(k, scan_f32, sizeof(float), memory),
                        i8 = measure(k, scan_i8, 1, memory);
        work peak = peak_of(k);

        print_row(k->name, "dot_f32", f32, scalar_f32, bandwidth / sizeof(float),
                  peak ? rate(peak, NULL) : 0);
        print_row(k->name, "dot_i8", i8, scalar_i8, bandwidth, 0);
    }
    free(memory);
    return 0;
}
