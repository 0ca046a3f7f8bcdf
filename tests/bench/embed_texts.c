/* Makes vectors for the benches: a text a line on standard input becomes float32 numbers on standard output.
   usage: embed_texts MODEL [PRECISION] <texts >vectors */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "embedder.h"
#include "simd.h"

enum { BATCH = 64, DIM_MAX = 512, ARENA_CAP = 1 << 30 };

static void put_batch(const struct embedder *e, char *const texts[], size_t n)
{
    static float vectors[BATCH * DIM_MAX];

    embedder_embed(e, (const char *const *)texts, n, vectors, NULL);
    if (fwrite(vectors, embedder_dim(e) * sizeof vectors[0], n, stdout) != n)
        exit(1);
}

int main(int argc, char **argv)
{
    struct arena *a = arena_new(ARENA_CAP);
    const struct embedder *e;
    const char *why = "";
    char *texts[BATCH] = { NULL };
    size_t room[BATCH] = { 0 }, n = 0;

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
