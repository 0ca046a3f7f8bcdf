/* The reference's own answers: tokens and vectors of 101 texts, for every instruction set and precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json.h"
#include "modeltest.h"
#include "slow.h"
#include "tokenizer.h"
#include "transformer.h"

#define GOLDEN_TEXTS 101
#define LINE_MAX_BYTES (64 * 1024)

struct golden {
    const char *text;
    size_t bytes, n;
    const uint16_t *ids;
    float vector[MODEL_DIM];
};

struct world {
    struct arena *arena;
    struct model_file model;
    struct golden *golden;
};

static struct golden read_line(struct arena *a, const char *line)
{
    struct json *j = NULL, *ids;
    struct golden g = {0};
    const char *why = "";
    uint16_t *to;
    size_t i = 0;

    if (json_parse(a, line, strlen(line), &j, &why) != JSON_OK)
        fail_msg("golden.jsonl: %s", why);
    g.text = json_get_str(j, "text");
    g.bytes = json_get(j, "text")->len;
    ids = json_get(j, "ids");
    g.n = ids->len;
    g.ids = to = ARENA_ARRAY(a, uint16_t, g.n + 1);
    for (const struct json *id = ids->first; id; id = id->next)
        *to++ = (uint16_t)id->i;
    for (const struct json *v = json_get(j, "vector")->first; v; v = v->next)
        g.vector[i++] = (float)json_number(v);
    assert_int_equal(i, MODEL_DIM);
    return g;
}

static int begin(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    char *line;
    FILE *f;

    w->arena = arena_new(256u * 1024 * 1024);
    modeltest_open(w->arena, &w->model);
    f = modeltest_golden(w->arena);
    line = arena_alloc(w->arena, LINE_MAX_BYTES);
    w->golden = ARENA_ARRAY(w->arena, struct golden, GOLDEN_TEXTS);
    for (size_t i = 0; i < GOLDEN_TEXTS; i++) {
        assert_non_null(fgets(line, LINE_MAX_BYTES, f));
        w->golden[i] = read_line(w->arena, line);
    }
    assert_null(fgets(line, LINE_MAX_BYTES, f));
    fclose(f);
    *state = w;
    return 0;
}

static int end(void **state)
{
    struct world *w = *state;

    arena_free(w->arena);
    free(w);
    return 0;
}

static void tokens_are_the_reference_s(void **state)
{
    struct world *w = *state;

    for (size_t i = 0; i < GOLDEN_TEXTS; i++) {
        const struct golden *g = &w->golden[i];
        struct tokens t = tokenize(w->model.vocabulary, w->arena, g->text, g->bytes);

        if (t.n != g->n || (t.n && memcmp(t.ids, g->ids, t.n * sizeof *t.ids) != 0))
            fail_msg("text %zu: '%s'", i, g->text);
    }
}

static double cosine(const float *a, const float *b)
{
    double ab = 0, aa = 0, bb = 0;

    for (size_t i = 0; i < MODEL_DIM; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return ab / sqrt(aa * bb);
}

static double difference(const float *a, const float *b)
{
    double most = 0;

    for (size_t i = 0; i < MODEL_DIM; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

/* The reference sees the first 128 tokens; the text without any is not asked for. */
static void check(struct world *w, const struct simd_kernels *k, enum model_precision p, double differ, double like)
{
    struct arena *scratch = arena_new(64u * 1024 * 1024);
    size_t step = (size_t)slow_times(1, 17, 17), longest = (size_t)slow_times(MODEL_TOKENS, MODEL_TOKENS, 16);
    double least = 1, most = 0, n = 0, sum = 0;
    float out[MODEL_DIM];

    for (size_t i = 0; i < GOLDEN_TEXTS; i += step) {
        const struct golden *g = &w->golden[i];
        struct span s = {.ids = g->ids, .n = g->n < MODEL_TOKENS ? g->n : MODEL_TOKENS};

        /* plain C takes its time, and what is rounded needs it only to agree */
        if (g->n == 0 || s.n > longest || (p != PRECISION_F32 && s.n > 40 && strcmp(k->name, "scalar") == 0))
            continue;
        arena_reset(scratch);
        transform(&w->model, k, p, scratch, &s, 1, out);
        least = fmin(least, cosine(out, g->vector));
        sum += cosine(out, g->vector);
        n++;
        most = fmax(most, difference(out, g->vector));
        if (difference(out, g->vector) > differ || cosine(out, g->vector) < like)
            fail_msg("%s, precision %d, text %zu: differs by %g, cosine %g", k->name, p, i, difference(out, g->vector),
                     cosine(out, g->vector));
    }
    print_message("%-7s %-5s differs by %.2g, cosine %.6f at least, %.6f on average\n", k->name,
                  (const char *const[]){"f32", "bf16", "int8"}[p], most, least, sum / n);
    arena_free(scratch);
}

static void f32_is_the_reference(void **state)
{
    const struct simd_kernels *k;

    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        check(*state, k, PRECISION_F32, 1e-5, 0.999999);
}

static void bf16_is_near(void **state)
{
    const struct simd_kernels *k;

    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        check(*state, k, PRECISION_BF16, 1, 0.9995);
}

static void int8_is_near(void **state)
{
    const struct simd_kernels *k;

    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        check(*state, k, PRECISION_INT8, 1, 0.997);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_the_reference_s),
        cmocka_unit_test(f32_is_the_reference),
        cmocka_unit_test(bf16_is_near),
        cmocka_unit_test(int8_is_near),
    };

    modeltest_need_golden();
    return cmocka_run_group_tests(tests, begin, end);
}
