/* The BERT encoder: the reference's vectors for every instruction set and precision, batches, long and empty texts, its file. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bert.h"
#include "embedder.h"
#include "json.h"
#include "modeltest.h"
#include "slow.h"
#include "str.h"

#define CAP (256u * 1024 * 1024)
#define LINE_BYTES (64 * 1024)
#define GOLDEN_MAX 64

struct golden {
    const char *text;
    uint16_t ids[BERT_TOKENS]; /* with what stands around them */
    size_t n;
    float vector[BERT_DIM];
};

struct world {
    struct arena *arena;
    const char *path;
    struct model_file model;
    struct golden golden[GOLDEN_MAX];
    size_t n_golden;
};

/* false: a line without a vector. */
static bool read_golden(struct world *w, const char *line, struct golden *g)
{
    struct json *j = NULL;
    const char *why = "";
    size_t i = 0, n;

    assert_int_equal(json_parse(w->arena, line, strlen(line), &j, &why), JSON_OK);
    if (!json_get(j, "vector"))
        return false;
    n = json_get(j, "ids")->len;
    g->text = json_get_str(j, "text");
    g->ids[g->n++] = w->model.pieces->special[PIECE_CLS];
    for (const struct json *id = json_get(j, "ids")->first; id && g->n < BERT_TOKENS - 1; id = id->next)
        g->ids[g->n++] = (uint16_t)id->i;
    g->ids[g->n++] = w->model.pieces->special[PIECE_SEP];
    assert_true(g->n == n + 2 || g->n == BERT_TOKENS);
    for (const struct json *v = json_get(j, "vector")->first; v; v = v->next)
        g->vector[i++] = (float)json_number(v);
    assert_int_equal(i, BERT_DIM);
    return true;
}

static int begin(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    const char *src = getenv("srcdir"), *why = "";
    char *line;
    FILE *f;

    w->arena = arena_new(CAP);
    w->path = modeltest_bert_path(w->arena);
    if (!model_file_open(w->arena, w->path, &w->model, &why)) {
        print_error("%s\n", why);
        exit(1);
    }
    f = fopen(arena_printf(w->arena, "%s/tests/unit/minilm_golden.jsonl", src ? src : "."), "r");
    assert_non_null(f);
    line = arena_alloc(w->arena, LINE_BYTES);
    while (fgets(line, LINE_BYTES, f) && w->n_golden < GOLDEN_MAX)
        w->n_golden += read_golden(w, line, &w->golden[w->n_golden]);
    fclose(f);
    assert_true(w->n_golden >= 15);
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

static double cosine(const float *a, const float *b)
{
    double ab = 0;

    for (size_t i = 0; i < BERT_DIM; i++)
        ab += (double)a[i] * (double)b[i];
    return ab;
}

static double difference(const float *a, const float *b)
{
    double most = 0;

    for (size_t i = 0; i < BERT_DIM; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

/* ---- the graph */

static void encode(struct world *w, const struct simd_kernels *k, enum model_precision p, const struct span *texts, size_t n,
                   float *out)
{
    size_t rows = 0, longest = 0;
    void *memory;

    for (size_t t = 0; t < n; t++) {
        rows += texts[t].n;
        longest = texts[t].n > longest ? texts[t].n : longest;
    }
    memory = malloc(bert_memory(p, rows, longest));
    assert_non_null(memory);
    bert_encode(&w->model, k, p, memory, texts, n, out);
    free(memory);
}

/* Plain C takes its time: it needs only short texts to agree. */
static void is_near(struct world *w, const struct simd_kernels *k, enum model_precision p, double differ, double like)
{
    size_t longest = strcmp(k->name, "scalar") == 0 ? (size_t)slow_times(40, 20, 8) : (size_t)slow_times(BERT_TOKENS, 64, 16);
    double least = 1, most = 0;
    size_t checked = 0;
    float out[BERT_DIM];

    for (size_t i = 0; i < w->n_golden; i += (size_t)slow_times(1, 1, 4)) {
        const struct golden *g = &w->golden[i];

        if (g->n > longest)
            continue;
        encode(w, k, p, &(struct span){.ids = g->ids, .n = g->n}, 1, out);
        least = fmin(least, cosine(out, g->vector));
        most = fmax(most, difference(out, g->vector));
        checked++;
    }
    print_message("%-7s %-5s differs by %.2g, cosine %.6f at least, %zu texts\n", k->name,
                  (const char *const[]){ "f32", "bf16", "int8" }[p], most, least, checked);
    assert_true(checked > 0 && most <= differ && least >= like);
}

static void f32_is_the_reference(void **state)
{
    const struct simd_kernels *k;

    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        is_near(*state, k, PRECISION_F32, 2e-6, 0.999999);
}

static void bf16_is_near(void **state)
{
    const struct simd_kernels *k;

    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        is_near(*state, k, PRECISION_BF16, 4e-3, 0.9998);
}

static void int8_is_near(void **state)
{
    const struct simd_kernels *k;

    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        is_near(*state, k, PRECISION_INT8, 4e-2, 0.985);
}

/* Rows of other texts, blocks of the hidden layer and tiles of other sizes make no difference that counts. */
static void a_batch_is_its_texts(void **state)
{
    struct world *w = *state;
    struct span all[GOLDEN_MAX];
    size_t n = 0, rows = 0;
    float *batch, single[BERT_DIM];

    for (size_t i = 0; i < w->n_golden && rows < (size_t)slow_times(400, 400, 12); i++) {
        if (w->golden[i].n > (size_t)slow_times(BERT_TOKENS, BERT_TOKENS, 8))
            continue;
        all[n++] = (struct span){.ids = w->golden[i].ids, .n = w->golden[i].n};
        rows += w->golden[i].n;
    }
    batch = calloc(n * BERT_DIM, sizeof *batch);
    for (enum model_precision p = slow_times(1, 1, 0) ? PRECISION_F32 : PRECISION_INT8; p < N_PRECISIONS; p++) {
        encode(w, simd_available(0), p, all, n, batch);
        for (size_t i = 0; i < n; i++) {
            encode(w, simd_available(0), p, &all[i], 1, single);
            assert_true(difference(single, batch + i * BERT_DIM) < 1e-5);
        }
    }
    free(batch);
    bert_encode(&w->model, simd_available(0), PRECISION_F32, NULL, NULL, 0, NULL);
}

/* ---- through the front door */

static const struct embedder *open_embedder(struct world *w, const char *precision)
{
    const struct embedder *e = NULL;
    const char *why = "";

    if (!embedder_open(w->arena, w->path, precision, simd_available(0), &e, &why))
        fail_msg("%s", why);
    return e;
}

static void it_says_what_it_is(void **state)
{
    const struct embedder *e = open_embedder(*state, "bf16");

    assert_string_equal(embedder_model(e), "all-minilm-l6-v2");
    assert_string_equal(embedder_precision(e), "bf16");
    assert_int_equal(embedder_dim(e), BERT_DIM);
    assert_int_equal(embedder_tokens(e, "unaffable  people"), 4);
    assert_true(embedder_letters(e, "Where did the painter live before the war?") > 4);
    assert_true(embedder_letters(e, "Wie wird die Sicherungskopie der Datenbank wiederhergestellt?") < 3);
    assert_true(embedder_letters(e, "\xe0\xb8\xa0\xe0\xb8\xb2\xe0\xb8\xa9\xe0\xb8\xb2\xe0\xb9\x84\xe0\xb8\x97\xe0\xb8\xa2") < 1.1);
    assert_true(embedder_letters(e, "\xf0\x9f\x98\x80\xf0\x9f\x98\x80") > 0);
    assert_true(embedder_letters(e, "") == 0);
}

static void texts_are_their_vectors(void **state)
{
    struct world *w = *state;
    const struct embedder *e = open_embedder(w, "f32");
    const char *texts[GOLDEN_MAX + 2];
    size_t n = 0, at[GOLDEN_MAX], longest = (size_t)slow_times(BERT_TOKENS, BERT_TOKENS, 6);
    float *out = calloc((GOLDEN_MAX + 2) * BERT_DIM, sizeof *out);
    bool has[GOLDEN_MAX + 2];

    for (size_t i = 0; i < w->n_golden; i++)
        if (w->golden[i].n <= longest) {
            at[n] = i;
            texts[n++] = w->golden[i].text;
        }
    texts[n++] = " \n\xcc\x81\t";
    texts[n++] = "";
    embedder_embed(e, texts, n, out, has);
    for (size_t i = 0; i + 2 < n; i++) {
        assert_true(has[i]);
        assert_true(difference(out + i * BERT_DIM, w->golden[at[i]].vector) < 2e-6);
    }
    for (size_t i = 0; i < 2 * BERT_DIM; i++)
        assert_true(out[(n - 2) * BERT_DIM + i] == 0);
    assert_false(has[n - 2] || has[n - 1]);
    free(out);
}

/* What stands behind the first 254 pieces has no say; what stands before does. */
static void only_the_beginning_of_a_long_text_counts(void **state)
{
    struct world *w = *state;
    const struct embedder *e = open_embedder(w, "int8");
    struct buf b;
    const char *texts[3];
    float out[3 * BERT_DIM];

    if (!slow_times(1, 1, 0))
        return; /* three times 256 pieces */
    buf_init(&b, w->arena, 4096);
    for (int i = 0; i < 253; i++)
        buf_puts(&b, "boat ");
    texts[0] = arena_printf(w->arena, "%s soup", buf_str(&b));
    texts[1] = arena_printf(w->arena, "%s soup needs salt and patience", buf_str(&b));
    texts[2] = arena_printf(w->arena, "%s salt", buf_str(&b));
    assert_int_equal(embedder_tokens(e, texts[0]), BERT_TOKENS - 2);
    embedder_embed(e, texts, 3, out, NULL);
    assert_true(difference(out, out + BERT_DIM) < 1e-5);
    assert_true(difference(out, out + 2 * BERT_DIM) > 1e-4);
}

/* ---- the file */

/* Writes a 32-bit number into the header of a copy, with a checksum that fits. */
static void with_number(struct world *w, size_t at, uint32_t number, const char *because)
{
    const char *copy = arena_printf(w->arena, "%s.copy", w->path), *why = NULL;
    struct model_header h = *w->model.header;
    struct model_file m;
    FILE *f = fopen(copy, "wb");

    assert_non_null(f);
    memcpy((uint8_t *)&h + at, &number, sizeof number);
    model_header_hash(&h, h.hash);
    assert_int_equal(fwrite(&h, sizeof h, 1, f), 1);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(truncate(copy, (off_t)h.file_size), 0);
    assert_false(model_file_open(w->arena, copy, &m, &why));
    assert_non_null(strstr(why, because));
    unlink(copy);
}

static void a_file_of_another_kind_is_refused(void **state)
{
    struct world *w = *state;
    const char *why = NULL;

    assert_true(model_file_verify(&w->model, &why));
    with_number(w, offsetof(struct model_header, kind), N_MODELS, "does not know");
    with_number(w, offsetof(struct model_header, kind), MODEL_USE, "misplaced");
    with_number(w, offsetof(struct model_header, version), 1, "version 1");
    with_number(w, offsetof(struct model_header, reserved), 0, "damaged"); /* its pages are all 0 */
}

/* 10 ms is the promise; a machine that is busy or sanitized gets ten times that. */
static void it_starts_at_once(void **state)
{
    struct timespec a, b;
    double least = 1e9;

    for (int i = 0; i < 5; i++) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        (void)open_embedder(*state, "int8");
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        least = fmin(least, (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6);
    }
    print_message("open: %.2f ms\n", least);
    assert_true(least < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_is_the_reference),
        cmocka_unit_test(bf16_is_near),
        cmocka_unit_test(int8_is_near),
        cmocka_unit_test(a_batch_is_its_texts),
        cmocka_unit_test(it_says_what_it_is),
        cmocka_unit_test(texts_are_their_vectors),
        cmocka_unit_test(only_the_beginning_of_a_long_text_counts),
        cmocka_unit_test(a_file_of_another_kind_is_refused),
        cmocka_unit_test(it_starts_at_once),
    };

    modeltest_need_bert();
    return cmocka_run_group_tests(tests, begin, end);
}
