/* How near the kernels that scan vector codes come to the memory: their rate beside that of a plain loop, in one run. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "scan.h"
#include "simd.h"

enum { DIM = 512, TRIALS = 5 };

/* CPU time: the machine has other users. */
static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static volatile uint64_t sink;

typedef uint64_t wide __attribute__((vector_size(64), may_alias));

static double read_rate(const void *memory, size_t bytes)
{
    double best = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        const wide *p = memory;
        wide x = {0}, y = {0};
        double begin = now_s(), spent;

        for (size_t i = 0; i + 1 < bytes / sizeof *p; i += 2) {
            x ^= p[i];
            y ^= p[i + 1];
        }
        spent = now_s() - begin;
        sink = (x ^ y)[0];
        best = fmax(best, (double)bytes / spent);
    }
    return best;
}

/* Larger than any cache, in huge pages, of bytes that mean nothing. */
enum { STREAM_ROWS = 3 << 16, STREAM_BYTES = STREAM_ROWS * DIM };

static unsigned char *stream(void)
{
    unsigned char *p = aligned_alloc(2 << 20, STREAM_BYTES);

    if (!p)
        exit(1);
    madvise(p, STREAM_BYTES, MADV_HUGEPAGE);
    for (size_t i = 0; i < STREAM_BYTES; i++)
        p[i] = (unsigned char)(i * 2654435761u >> 21);
    return p;
}

typedef void pass(const struct simd_kernels *k, const unsigned char *memory);

static void pass_bits(const struct simd_kernels *k, const unsigned char *memory)
{
    static uint8_t tables[DIM / 8 * SCAN_TABLE];
    static uint16_t sums[16 * SCAN_BLOCK];
    const size_t group = 16 * SCAN_BLOCK * DIM / 8;

    for (size_t at = 0; at + group <= STREAM_BYTES; at += group)
        k->scan_bits(&(struct scan_bits){memory + at, tables, DIM / 8, NULL, 16, sums, NULL});
    sink = sums[0];
}

static void pass_i8(const struct simd_kernels *k, const unsigned char *memory)
{
    static int8_t query[DIM];
    static uint32_t rows[256];
    static int32_t dots[256];

    for (uint32_t i = 0; i < 256; i++)
        rows[i] = i;
    for (size_t at = 0; at + sizeof rows / sizeof rows[0] <= STREAM_ROWS; at += 256)
        k->scan_i8(&(struct scan_i8){query, (const int8_t *)memory + at * DIM, DIM, rows, 256, dots});
    sink = (uint64_t)dots[0];
}

static void pass_f32(const struct simd_kernels *k, const unsigned char *memory)
{
    static float query[DIM];
    const float *floats = (const float *)(const void *)memory;
    float sum = 0;

    for (size_t at = 0; at < STREAM_BYTES / sizeof *floats; at += DIM)
        sum += k->dot_f32(query, floats + at, DIM);
    sink = (uint64_t)sum;
}

static double pass_rate(pass *run, const struct simd_kernels *k, const unsigned char *memory)
{
    double best = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        double begin = now_s();

        run(k, memory);
        best = fmax(best, STREAM_BYTES / (now_s() - begin));
    }
    return best;
}

int main(void)
{
    unsigned char *memory = stream();
    double rate = read_rate(memory, STREAM_BYTES);
    const struct simd_kernels *k;

    printf("memory: a plain loop reads %.1f GB/s (huge pages); share of it that the kernels reach, from memory\n", rate * 1e-9);
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        printf("  %-8s 1-bit %.2f (%.2f ns a row)  int8 %.2f  float32 %.2f\n", k->name, pass_rate(pass_bits, k, memory) / rate,
               DIM / 8 / pass_rate(pass_bits, k, memory) * 1e9, pass_rate(pass_i8, k, memory) / rate,
               pass_rate(pass_f32, k, memory) / rate);
    free(memory);
    return 0;
}
