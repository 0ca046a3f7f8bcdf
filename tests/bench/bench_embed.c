/* How fast a built-in embedder is: milliseconds a text, the share of this machine's FMA peak measured in the same run,
   bf16 and int8 against f32, and the time to start. bench_embed FILE [KERNELS]; prints figures, never fails on them. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "arena.h"
#include "bert.h"
#include "embedder.h"
#include "simd.h"
#include "transformer.h"

#define TRIALS 7
#define MEASURE_S 0.12
#define MAX_ROWS 256 /* of a batch */

static volatile double sink; /* keeps results alive */

/* Time on the processor, because the machine has other users. */
static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the peak: ten independent chains of FMAs on registers */

#ifdef __x86_64__
#define PEAK(name, vector, lanes, attribute, set, fma, first) \
    attribute static double name(void) \
    { \
        enum { ROUNDS = 1 << 20 }; \
        vector s[10], x = set(1e-9f); \
        double begin = now_s(); \
        float sum = 0; \
        for (int c = 0; c < 10; c++) \
            s[c] = set((float)c); \
        for (int i = 0; i < ROUNDS; i++) { \
            s[0] = fma(s[0], x, x), s[1] = fma(s[1], x, x), s[2] = fma(s[2], x, x), s[3] = fma(s[3], x, x); \
            s[4] = fma(s[4], x, x), s[5] = fma(s[5], x, x), s[6] = fma(s[6], x, x), s[7] = fma(s[7], x, x); \
            s[8] = fma(s[8], x, x), s[9] = fma(s[9], x, x); \
        } \
        for (int c = 0; c < 10; c++) \
            sum += first(s[c]); \
        sink = (double)sum; \
        return 2.0 * 10 * ROUNDS * (lanes) / (now_s() - begin); \
    }

PEAK(peak_avx2, __m256, 8, __attribute__((target("avx2,fma"))), _mm256_set1_ps, _mm256_fmadd_ps, _mm256_cvtss_f32)
PEAK(peak_avx512, __m512, 16, __attribute__((target("avx512f"))), _mm512_set1_ps, _mm512_fmadd_ps, _mm512_cvtss_f32)
#endif

/* FLOP/s; 0: unknown for these kernels. */
static double peak_once(const struct simd_kernels *k)
{
#ifdef __x86_64__
    if (strcmp(k->name, "avx512") == 0)
        return peak_avx512();
    if (strcmp(k->name, "avx2") == 0)
        return peak_avx2();
#endif
    (void)k;
    return 0;
}

/* ---- what is measured */

struct load {
    size_t texts, tokens; /* tokens of each */
};

/* What the graph needs; in the sentence encoder the last product is made once for a text. */
static double flop(const struct model_file *m, struct load l)
{
    double t = (double)l.tokens, dim = BERT_DIM;

    if (m->pieces)
        return 2 * (double)l.texts * BERT_LAYERS * t * (4 * dim * dim + 2 * dim * BERT_HIDDEN + 2 * dim * t);
    return 2 * (double)l.texts * (t * (3866624 + 1536 * t) + 786432 + 262144);
}

struct bench {
    struct model_file model;
    const struct simd_kernels *k;
    struct arena *scratch;
    void *memory; /* of the BERT encoder */
    uint16_t ids[32 * BERT_TOKENS];
    struct span spans[64];
    float out[64 * MODEL_DIM];
};

/* Seconds for one batch: the least mean of a few trials. peak: the highest seen meanwhile. */
static double measure(struct bench *b, enum model_precision p, struct load l, double *peak)
{
    double best = 1e9;

    for (size_t t = 0; t < l.texts; t++)
        b->spans[t] = (struct span){.ids = b->ids + t * l.tokens, .n = l.tokens};
    for (int trial = 0; trial < TRIALS; trial++) {
        double begin = now_s(), spent = 0, here;
        int n = 0;

        for (; spent < MEASURE_S; spent = now_s() - begin, n++) {
            arena_reset(b->scratch);
            if (b->model.pieces)
                bert_encode(&b->model, b->k, p, b->memory, b->spans, l.texts, b->out);
            else
                transform(&b->model, b->k, p, b->scratch, b->spans, l.texts, b->out);
        }
        best = spent / n < best ? spent / n : best;
        here = peak_once(b->k);
        *peak = here > *peak ? here : *peak;
    }
    return best;
}

static const struct load LOADS[] = {{1, 1}, {1, 8}, {1, 10}, {1, 32}, {1, 128}, {1, 256}, {32, 8}, {16, 16}, {8, 32}, {2, 128}};

static void run_kernels(struct bench *b)
{
    printf("\n%-7s %14s %21s %16s %16s\n", b->k->name, "texts x tokens", "f32 ms/text (peak)", "bf16 ms (x f32)",
           "int8 ms (x f32)");
    for (size_t i = 0; i < sizeof LOADS / sizeof *LOADS; i++) {
        double peak = 0, f32, per = 1e3 / (double)LOADS[i].texts;

        if (!b->model.pieces && LOADS[i].tokens > MODEL_TOKENS)
            continue;
        f32 = measure(b, PRECISION_F32, LOADS[i], &peak);
        printf("%7s %8zu x %3zu %12.3f (%3.0f %%)", "", LOADS[i].texts, LOADS[i].tokens, f32 * per,
               peak > 0 ? 100 * flop(&b->model, LOADS[i]) / f32 / peak : 0);
        for (enum model_precision p = PRECISION_BF16; p < N_PRECISIONS; p++) {
            double s = b->model.weights[p] ? measure(b, p, LOADS[i], &peak) : 0;

            printf(s > 0 ? " %9.3f (%4.2f)" : "         -", s * per, s > 0 ? f32 / s : 0);
        }
        printf("   peak %.0f GFLOP/s\n", peak * 1e-9);
    }
}

/* From nothing to ready, and to the first vector. */
static void run_start(const char *path, const char *precision, const struct simd_kernels *k)
{
    double open_s = 1e9, first_s = 0;
    const char *text = "where does the harbour master keep the key", *why = "";
    float out[MODEL_DIM];

    for (int trial = 0; trial < TRIALS; trial++) {
        struct arena *a = arena_new(1024 * 1024);
        const struct embedder *e = NULL;
        double begin = now_s();

        if (!embedder_open(a, path, precision, k, &e, &why)) {
            fprintf(stderr, "%s\n", why);
            exit(1);
        }
        open_s = now_s() - begin < open_s ? now_s() - begin : open_s;
        begin = now_s();
        embedder_embed(e, &text, 1, out, NULL);
        first_s = trial == 0 ? now_s() - begin : first_s;
        arena_free(a);
    }
    printf("start, %s: open %.2f ms, first text after it %.2f ms\n", precision, open_s * 1e3, first_s * 1e3);
}

/* Through the front door: tokens, windows, batches. */
static void run_texts(const char *path, const char *precision, const struct simd_kernels *k)
{
    static const char *const TEXTS[] = {
        "dark mode", "where does the harbour master keep the key",
        "The user prefers short answers in the morning, and wants the numbers first; explanations come after lunch.",
    };
    struct arena *a = arena_new(1024 * 1024);
    const struct embedder *e = NULL;
    const char *why = "";
    float out[MODEL_DIM];

    if (!embedder_open(a, path, precision, k, &e, &why))
        return;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        double begin = now_s(), spent = 0;
        int n = 0;

        for (; spent < MEASURE_S; spent = now_s() - begin, n++)
            embedder_embed(e, &TEXTS[i], 1, out, NULL);
        printf("text of %zu tokens, %s: %.3f ms in all\n", embedder_tokens(e, TEXTS[i]), precision, spent / n * 1e3);
    }
    arena_free(a);
}

int main(int argc, char **argv)
{
    static const char *const PRECISIONS[] = {"f32", "bf16", "int8"};
    static struct bench b;
    struct arena *a = arena_new(64u * 1024 * 1024);
    const char *why = "";

    if (argc < 2) {
        fprintf(stderr, "usage: bench_embed MODEL-FILE [KERNELS]\n");
        return 2;
    }
    if (!model_file_open(a, argv[1], &b.model, &why)) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    b.scratch = arena_new(256u * 1024 * 1024);
    b.memory = arena_alloc(a, bert_memory(PRECISION_F32, MAX_ROWS, BERT_TOKENS) + bert_memory(PRECISION_INT8, MAX_ROWS, BERT_TOKENS));
    for (size_t i = 0; i < sizeof b.ids / sizeof *b.ids; i++)
        b.ids[i] = (uint16_t)(PIECE_FIRST + i * 7919 % (MODEL_PIECES - PIECE_FIRST));
    for (size_t i = 0; i < sizeof PRECISIONS / sizeof *PRECISIONS; i++) {
        run_start(argv[1], PRECISIONS[i], simd_available(0));
        run_texts(argv[1], PRECISIONS[i], simd_available(0));
    }
    for (size_t i = 0; (b.k = simd_available(i)) != NULL; i++)
        if (argc > 2 ? strcmp(argv[2], b.k->name) == 0 : strcmp(b.k->name, "scalar") != 0)
            run_kernels(&b);
    arena_free(b.scratch);
    arena_free(a);
    return 0;
}
