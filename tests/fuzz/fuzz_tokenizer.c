/* Fuzzes the tokenizer and the cutting into windows, on a vocabulary of the model's size: the first byte chooses how long
   windows are, the others are the text, which need not be UTF-8. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "small_vocabulary.h"
#include "tokenizer.h"
#include "windows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tokens(const struct tokens *t, size_t n)
{
    assert(n > 0 || t->n == 0);
    for (size_t i = 0; i < t->n; i++) {
        assert(t->ids[i] < MODEL_PIECES && (t->ids[i] == PIECE_UNKNOWN || t->ids[i] >= PIECE_FIRST));
        assert(i == 0 || t->ids[i] != PIECE_UNKNOWN || t->ids[i - 1] != PIECE_UNKNOWN);
    }
}

static void check_windows(const struct windows *w, size_t whole, size_t part)
{
    for (size_t i = 0, start = 0; i < w->n; start = w->ends[i++]) {
        assert(w->ends[i] > start && w->ends[i] - start <= (w->n == 1 ? whole : part));
        for (size_t k = start; k < w->ends[i]; k++)
            assert(w->ids[k] < MODEL_PIECES);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct vocabulary *v;
    static struct arena *kept, *a;
    const char *text = (const char *)data + 1;
    struct tokens t;
    struct windows w;
    size_t part, n;

    if (!v) {
        kept = arena_new(64u * 1024 * 1024);
        a = arena_new(256u * 1024 * 1024);
        v = small_vocabulary(kept);
    }
    if (size == 0)
        return 0;
    arena_reset(a);
    part = 1 + data[0] % 32;
    t = tokenize(v, a, text, size - 1);
    check_tokens(&t, size - 1);
    w = windows_of(v, a, text, size - 1, part + data[0] / 32, part);
    check_windows(&w, part + data[0] / 32, part);
    (void)collapse_space(a, text, size - 1, &n);
    assert(n < size);
    return 0;
}
