/* The embedder through its front door: batches, long and empty texts, threads, precisions, and damaged model files. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "embedder.h"
#include "modeltest.h"
#include "simd.h"
#include "slow.h"
#include "str.h"

#define CAP (256u * 1024 * 1024)

struct world {
    struct arena *arena;
    const char *path;   /* all precisions */
    const char *broken; /* a copy to be damaged */
    const struct embedder *f32;
    const char *quick;        /* the precision that serves: f32, or int8, whose token takes valgrind 11 ms, not 220 */
    const struct embedder *e; /* has it */
};

static const struct embedder *open_with(struct world *w, const char *precision, const struct simd_kernels *k)
{
    const struct embedder *e = NULL;
    const char *why = "";

    if (!embedder_open(w->arena, w->path, precision, k, &e, &why))
        fail_msg("%s", why);
    return e;
}

static void copy_file(const char *from, const char *to)
{
    static char block[1 << 20];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t n;

    assert_non_null(in);
    assert_non_null(out);
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        assert_int_equal(fwrite(block, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static int begin(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    char *broken;
    int fd;

    w->arena = arena_new(CAP);
    w->path = modeltest_path(w->arena);
    w->f32 = open_with(w, "f32", simd_available(0));
    w->quick = slow_times(1, 1, 0) ? "f32" : "int8";
    w->e = open_with(w, w->quick, simd_available(0));
    broken = arena_printf(w->arena, "%s/loci-broken-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    fd = mkstemp(broken);
    assert_true(fd >= 0);
    close(fd);
    copy_file(w->path, broken);
    w->broken = broken;
    *state = w;
    return 0;
}

static int end(void **state)
{
    struct world *w = *state;

    unlink(w->broken);
    arena_free(w->arena);
    free(w);
    return 0;
}

static double cosine(const float *a, const float *b)
{
    double ab = 0;

    for (size_t i = 0; i < MODEL_DIM; i++)
        ab += (double)a[i] * (double)b[i];
    return ab;
}

static double difference(const float *a, const float *b)
{
    double most = 0;

    for (size_t i = 0; i < MODEL_DIM; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

static void embed_one(const struct embedder *e, const char *text, float *out)
{
    bool has = false;

    embedder_embed(e, &text, 1, out, &has);
    assert_true(has);
    assert_true(fabs(cosine(out, out) - 1) < 1e-5);
}

static double likeness(const struct embedder *e, const char *a, const char *b)
{
    float va[MODEL_DIM], vb[MODEL_DIM];

    embed_one(e, a, va);
    embed_one(e, b, vb);
    return cosine(va, vb);
}

/* 40 texts of 1 to about 300 tokens, some empty. */
#define TEXTS 40
static const char *text_of(struct arena *a, int i)
{
    struct buf b;

    buf_init(&b, a, 64);
    for (int k = 0; k < i * i % 60 && i % 9; k++)
        buf_printf(&b, "%s%d harbours lie behind %s%s", k ? " " : "", k * 7 + i, k % 2 ? "the hill" : "a lighthouse",
                   k % 3 ? "," : ".");
    return buf_str(&b);
}

static void a_batch_is_its_texts(void **state)
{
    struct world *w = *state;
    const struct simd_kernels *k;
    const char *texts[TEXTS];
    static float batch[TEXTS * MODEL_DIM];
    float single[MODEL_DIM];
    bool has[TEXTS];
    int n = slow_times(TEXTS, TEXTS, 6);

    for (int i = 0; i < n; i++)
        texts[i] = text_of(w->arena, i);
    for (size_t s = 0; (k = simd_available(s)) != NULL && strcmp(k->name, "scalar") != 0; s++) {
        const struct embedder *e = open_with(w, w->quick, k);

        embedder_embed(e, texts, (size_t)n, batch, has);
        for (int i = 0; i < n; i++) {
            bool one = true;

            embedder_embed(e, &texts[i], 1, single, &one);
            assert_int_equal(has[i], one);
            assert_int_equal(one, *texts[i] != 0);
            assert_true(difference(single, batch + i * MODEL_DIM) < 1e-6);
        }
    }
}

static void no_text_has_no_vector(void **state)
{
    struct world *w = *state;
    const char *texts[] = {"", " \n\t\xc2\xa0", "a"};
    float out[3 * MODEL_DIM];
    bool has[3];

    embedder_embed(w->e, texts, 3, out, has);
    assert_false(has[0] || has[1]);
    assert_true(has[2]);
    for (size_t i = 0; i < 2 * MODEL_DIM; i++)
        assert_true(out[i] == 0);
    assert_int_equal(embedder_tokens(w->e, texts[1]), 0);
    embedder_embed(w->e, texts, 0, out, NULL);
    embedder_embed(w->e, texts, 3, out, NULL);
}

/* A new line costs a quarter of the cosine in the model itself. */
static void white_space_does_not_matter(void **state)
{
    struct world *w = *state;

    assert_true(likeness(w->e, "hello world", " hello \r\n\tworld\n") > 0.999999);
    assert_true(likeness(w->e, "hello world", "Hello World") < 0.7);
}

/* English, spelt in capitals, German, and a notation: the more pieces, the less the model knows. */
static void words_it_never_learnt_fall_to_pieces(void **state)
{
    const struct embedder *e = ((struct world *)*state)->f32;

    assert_true(embedder_letters(e, "Where did the painter live before the war?") > 3.3);
    assert_true(embedder_letters(e, "WHERE DID THE PAINTER LIVE BEFORE THE WAR?") < 2.5);
    assert_true(embedder_letters(e, "Wie wird die Sicherungskopie der Datenbank wiederhergestellt?") < 2.5);
    assert_true(embedder_letters(e, "err_quota_93 size_t n_rows0x7f") < 2.5);
    assert_true(embedder_letters(e, " \n ") == 0);
}

static void likeness_is_the_model_s(void **state)
{
    struct world *w = *state;

    assert_true(fabs(likeness(w->f32, "User prefers dark mode", "User prefers light mode") - 0.853) < 0.002);
    assert_true(fabs(likeness(w->f32, "I love cats", "I do not love cats") - 0.903) < 0.002);
}

/* The mean of the windows, weighted by their tokens: computed here from the windows' own vectors. */
static void a_long_text_is_the_mean_of_its_sentences(void **state)
{
    struct world *w = *state;
    const char *sentence = "The harbour master closes the gate at ten, and whoever comes later sleeps on the pier until "
                           "the first boat leaves for the islands in the morning, which is seldom before six and often "
                           "only after the fog has gone and the nets are dry.";
    const char *other = "Recipes for soup differ from town to town.";
    const char *text = arena_printf(w->arena, "%s %s\n%s %s", sentence, sentence, sentence, other);
    size_t n = embedder_tokens(w->e, sentence), m = embedder_tokens(w->e, other), first = EMBEDDER_PART / n;
    float out[MODEL_DIM], a[MODEL_DIM], b[MODEL_DIM], mean[MODEL_DIM];
    double length = 0;

    assert_true(n > 40 && first == 2 && 3 * n + m > EMBEDDER_WINDOW && n + m <= EMBEDDER_PART);
    embed_one(w->e, text, out);
    embed_one(w->e, arena_printf(w->arena, "%s %s", sentence, sentence), a);
    embed_one(w->e, arena_printf(w->arena, "%s %s", sentence, other), b);
    for (size_t i = 0; i < MODEL_DIM; i++) {
        mean[i] = (float)(2 * n) * a[i] + (float)(n + m) * b[i];
        length += (double)mean[i] * (double)mean[i];
    }
    for (size_t i = 0; i < MODEL_DIM; i++)
        mean[i] = (float)((double)mean[i] / sqrt(length));
    assert_true(difference(out, mean) < 1e-6);
}

static void the_end_of_a_long_text_counts(void **state)
{
    struct world *w = *state;
    struct buf b;

    buf_init(&b, w->arena, 4096);
    for (int i = slow_times(40, 40, 15); i > 0; i--)
        buf_puts(&b, "The boats left the harbour in the fog. ");
    assert_true(embedder_tokens(w->e, buf_str(&b)) > EMBEDDER_WINDOW);
    assert_true(likeness(w->e, buf_str(&b), arena_printf(w->arena, "%s%s", buf_str(&b),
                                                           "Soup needs salt, pepper and patience.")) < 0.9999);
}

/* As many as are seen of the character that decomposes most, and of one word. */
static void a_text_of_any_size_is_taken(void **state)
{
    struct world *w = *state;
    const struct embedder *e = open_with(w, "int8", simd_available(0));
    char *text = arena_alloc(w->arena, EMBEDDER_TEXT_MAX + 100);
    float out[MODEL_DIM];

    for (size_t i = 0; i + 3 < EMBEDDER_TEXT_MAX + 100; i += 3)
        memcpy(text + i, "\xef\xb7\xba", 3);
    assert_true(embedder_tokens(e, text) > 0);
    if (slow_times(1, 0, 0)) /* each is 512 windows */
        embed_one(e, text, out);
    memset(text, 'x', EMBEDDER_TEXT_MAX + 99);
    assert_true(embedder_tokens(e, text) > 0);
    if (slow_times(1, 1, 0))
        embed_one(e, text, out);
}

static void every_instruction_set_gives_the_same(void **state)
{
    struct world *w = *state;
    const char *precisions[] = {"f32", "bf16", "int8"};
    const double differ[] = {1e-5, 2e-3, 2e-2};
    const char *text = "where does the harbour master keep the key of the gate?";
    const struct simd_kernels *k;

    for (size_t p = 0; p < 3; p++) {
        float exact[MODEL_DIM], out[MODEL_DIM];

        embed_one(open_with(w, precisions[p], simd_choose("scalar", NULL, 0)), text, exact);
        for (size_t s = 0; (k = simd_available(s)) != NULL; s++) {
            const struct embedder *e = open_with(w, precisions[p], k);

            embed_one(e, text, out);
            assert_true(difference(out, exact) <= differ[p]);
            assert_string_equal(embedder_precision(e), precisions[p]);
        }
        embed_one(w->f32, text, out);
        assert_true(cosine(out, exact) >= (p == 2 ? 0.997 : 0.9995));
    }
}

static void *embed_again_and_again(void *world)
{
    struct world *w = world;
    float first[MODEL_DIM], out[MODEL_DIM];
    const char *text = "one embedder serves all threads";

    embedder_embed(w->e, &text, 1, first, NULL);
    for (int i = slow_times(40, 40, 10); i > 0; i--) {
        embedder_embed(w->e, &text, 1, out, NULL);
        if (memcmp(first, out, sizeof out) != 0)
            return w;
    }
    return NULL;
}

static void threads_share_it(void **state)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, embed_again_and_again, *state), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong = NULL;

        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

/* ---- files */

static void is_refused(struct world *w, const char *path, const char *because)
{
    const struct embedder *e = NULL;
    const char *why = NULL;

    assert_false(embedder_open(w->arena, path, "f32", simd_available(0), &e, &why));
    assert_null(e);
    if (!why || !strstr(why, because))
        fail_msg("'%s' instead of '%s'", why ? why : "nothing", because);
}

/* Writes n bytes at a place of the copy, tries to open it, and puts the old ones back. */
static void with_bytes(struct world *w, size_t at, const void *bytes, size_t n, const char *because)
{
    uint8_t old[64];
    int fd = open(w->broken, O_RDWR);

    assert_true(fd >= 0 && n <= sizeof old);
    assert_int_equal(pread(fd, old, n, (off_t)at), n);
    assert_int_equal(pwrite(fd, bytes, n, (off_t)at), n);
    is_refused(w, w->broken, because);
    assert_int_equal(pwrite(fd, old, n, (off_t)at), n);
    close(fd);
}

static void a_damaged_file_is_refused_with_a_sentence(void **state)
{
    struct world *w = *state;
    struct model_file m;
    const char *why = "";

    assert_true(model_file_open(w->arena, w->broken, &m, &why));
    is_refused(w, "/nowhere/use.model", "No such file");
    is_refused(w, "/tmp", "too short");
    is_refused(w, "/dev/null", "too short");
    with_bytes(w, 0, "x", 1, "not a packed model");
    with_bytes(w, offsetof(struct model_header, version), "\7\0\0\0", 4, "version 7");
    with_bytes(w, offsetof(struct model_header, file_size), "\7", 1, "header is damaged");
    with_bytes(w, offsetof(struct model_header, sections) + 3, "\7", 1, "header is damaged");
    with_bytes(w, m.header->sections[SECTION_VOCABULARY].offset + 70001, "\3\1\4", 3, "contents are damaged");
    with_bytes(w, m.header->sections[SECTION_EMBEDDINGS].offset, "\3\1\4", 3, "contents are damaged");
    is_refused(w, w->broken + 1, "No such file");
}

static void a_file_that_is_cut_off_is_refused(void **state)
{
    struct world *w = *state;
    off_t lengths[] = {0, 1, 100, sizeof(struct model_header), 5000, 30000000};
    const char *path = arena_printf(w->arena, "%s.cut", w->broken);

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        copy_file(w->path, path);
        assert_int_equal(truncate(path, lengths[i]), 0);
        is_refused(w, path, lengths[i] < (off_t)sizeof(struct model_header) ? "too short" : "cut off");
    }
    unlink(path);
}

/* Whatever a header says, with a checksum that fits: it is refused, or it can be used. */
static void any_header_is_refused_or_harmless(void **state)
{
    struct world *w = *state;
    struct model_header original, h;
    int fd = open(w->broken, O_RDWR), opened = 0, tries = slow_times(3000, 200, 60);

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &original, sizeof original, 0), sizeof original);
    srand(1);
    for (int i = 0; i < tries; i++) {
        struct arena *a = arena_new(CAP);
        const struct embedder *e = NULL;
        const char *why = NULL, *text = "hello world";
        float out[MODEL_DIM];

        h = original;
        for (int k = rand() % 3; k >= 0; k--) {
            size_t s = (size_t)rand() % N_SECTIONS;
            uint64_t wild = (uint64_t)rand() << (rand() % 40), *field = rand() % 2 ? &h.sections[s].offset : &h.sections[s].size;

            switch (rand() % 4) {
            case 0: *field = wild; break;
            case 1: *field += (uint64_t)(rand() % 3 - 1) * 4096; break;
            case 2: h.file_size += (uint64_t)(rand() % 3 - 1); break;
            default: ((uint8_t *)&h)[(size_t)rand() % offsetof(struct model_header, hash)] ^= (uint8_t)(1 << rand() % 8);
            }
        }
        model_header_hash(&h, h.hash);
        assert_int_equal(pwrite(fd, &h, sizeof h, 0), sizeof h);
        if (embedder_open(a, w->broken, w->quick, simd_available(0), &e, &why)) {
            embedder_embed(e, &text, 1, out, NULL);
            opened++;
        } else {
            assert_non_null(why);
        }
        arena_free(a);
    }
    assert_true(opened > 0 && opened < tries);
    assert_int_equal(pwrite(fd, &original, sizeof original, 0), sizeof original);
    close(fd);
}

/* Between the samples of every start, only the whole check sees it. */
static void the_whole_check_reads_every_byte(void **state)
{
    struct world *w = *state;
    struct model_file m;
    const char *why = "";
    int fd = open(w->broken, O_RDWR);
    off_t at;
    uint8_t byte;

    assert_true(model_file_open(w->arena, w->broken, &m, &why));
    assert_true(model_file_verify(&m, &why));
    at = (off_t)m.header->sections[SECTION_WEIGHTS].offset + 1000001;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 4;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    assert_true(model_file_open(w->arena, w->broken, &m, &why));
    assert_false(model_file_verify(&m, &why));
    assert_string_equal(why, "f32 weights");
    byte ^= 4;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void an_unknown_precision_is_refused(void **state)
{
    struct world *w = *state;
    const struct embedder *e = NULL;
    const char *why = NULL;

    assert_false(embedder_open(w->arena, w->path, "fp4", simd_available(0), &e, &why));
    assert_non_null(strstr(why, "'fp4'"));
}

/* 5 ms is the promise; a machine that is busy or sanitized gets ten times that. */
static void it_starts_at_once(void **state)
{
    struct world *w = *state;
    struct timespec a, b;
    double least = 1e9;

    for (int i = 0; i < 5; i++) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        (void)open_with(w, "f32", simd_available(0));
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        least = fmin(least, (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6);
    }
    print_message("open: %.2f ms\n", least);
    assert_true(least < 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_its_texts),
        cmocka_unit_test(no_text_has_no_vector),
        cmocka_unit_test(white_space_does_not_matter),
        cmocka_unit_test(words_it_never_learnt_fall_to_pieces),
        cmocka_unit_test(likeness_is_the_model_s),
        cmocka_unit_test(a_long_text_is_the_mean_of_its_sentences),
        cmocka_unit_test(the_end_of_a_long_text_counts),
        cmocka_unit_test(a_text_of_any_size_is_taken),
        cmocka_unit_test(every_instruction_set_gives_the_same),
        cmocka_unit_test(threads_share_it),
        cmocka_unit_test(a_damaged_file_is_refused_with_a_sentence),
        cmocka_unit_test(a_file_that_is_cut_off_is_refused),
        cmocka_unit_test(any_header_is_refused_or_harmless),
        cmocka_unit_test(the_whole_check_reads_every_byte),
        cmocka_unit_test(an_unknown_precision_is_refused),
        cmocka_unit_test(it_starts_at_once),
    };

    modeltest_need_model();
    return cmocka_run_group_tests(tests, begin, end);
}
