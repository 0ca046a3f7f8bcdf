/* Makes vectors for the benches: a text a line on standard input becomes float32 numbers on standard output.
   usage: embed_texts MODEL [PRECISION] <texts >vectors; with ids for the precision: the numbers of each text's pieces, a line each,
   for the BERT encoder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "embedder.h"
#include "model_file.h"
#include "simd.h"

enum { BATCH = 64, DIM_MAX = 512, ARENA_CAP = 1 << 30, PIECES_MAX = 1 << 20 };

static void put_batch(const struct embedder *e, char *const texts[], size_t n)
{
    static float vectors[BATCH * DIM_MAX];

    embedder_embed(e, (const char *const *)texts, n, vectors, NULL);
    if (fwrite(vectors, embedder_dim(e) * sizeof vectors[0], n, stdout) != n)
        exit(1);
}

static int put_ids(struct arena *a, const char *path)
{
    uint16_t *ids = ARENA_ARRAY(a, uint16_t, PIECES_MAX);
    struct model_file m;
    const char *why = "";
    char *text = NULL;
    size_t room = 0;
    ssize_t length;

    if (!model_file_open(a, path, &m, &why) || !m.pieces) {
        fprintf(stderr, "%s: no BERT encoder %s\n", path, why);
        return 1;
    }
    while ((length = getline(&text, &room, stdin)) > 0) {
        size_t bytes = (size_t)length - (text[length - 1] == '\n');
        size_t n = wordpieces_cut(m.pieces, text, bytes, ids, PIECES_MAX);

        for (size_t i = 0; i < n; i++)
            printf("%s%u", i ? " " : "", ids[i]);
        putchar('\n');
    }
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    struct arena *a = arena_new(ARENA_CAP);
    const struct embedder *e;
    const char *why = "";
    char *texts[BATCH] = {NULL};
    size_t room[BATCH] = {0}, n = 0;

    if (argc == 3 && strcmp(argv[2], "ids") == 0)
        return put_ids(a, argv[1]);
    if (argc < 2 || !embedder_open(a, argv[1], argc > 2 ? argv[2] : "f32", simd_available(0), &e, &why)) {
        fprintf(stderr, "usage: embed_texts MODEL [PRECISION] <texts >vectors  %s\n", why);
        return 2;
    }
    while (getline(&texts[n], &room[n], stdin) > 0) {
        texts[n][strcspn(texts[n], "\n")] = '\0';
        if (++n == BATCH) {
            put_batch(e, texts, n);
            n = 0;
        }
    }
    put_batch(e, texts, n);
    for (size_t i = 0; i < BATCH; i++)
        free(texts[i]);
    arena_free(a);
    return 0;
}
