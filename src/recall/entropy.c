/* Shannon entropy of the distribution of characters and of words; see entropy.h. */
#include "entropy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define CHAR_BITS 5.5 /* of plain English with its punctuation and capitals, rounded up */

ENUMX_DEFINE(entropy_band, ENTROPY_BAND);

struct signs {
    uint64_t *at;
    size_t n;
};

static int entropy_ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Bits a sign. Sorts. */
static double entropy_bits_of(struct signs s)
{
    double sum = 0;

    qsort(s.at, s.n, sizeof *s.at, entropy_ascending);
    for (size_t i = 0, run; i < s.n; i += run) {
        for (run = 1; i + run < s.n && s.at[i + run] == s.at[i]; run++)
            ;
        sum += (double)run * log2((double)run);
    }
    return s.n ? log2((double)s.n) - sum / (double)s.n : 0;
}

/* Scripts without spaces, and emoji: each character is a word. */
static bool is_word_alone(uint32_t c)
{
    return (c >= 0x0e00 && c < 0x1000) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xf900 && c < 0xfb00) || c >= 0x1f000;
}

static bool is_in_word(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 0xaa && !(c >= 0x2000 && c < 0x2c00));
}

static uint64_t entropy_mix(uint64_t h, uint32_t c)
{
    return (h ^ c) * 0x9e3779b97f4a7c15u ^ h >> 29;
}

static void entropy_gather(const char *text, struct signs *chars, struct signs *words)
{
    uint64_t word = 0;
    uint32_t c;

    for (const char *p = text; chars->n < ENTROPY_CHARS && (c = utf8_next(&p));) {
        uint32_t folded = c >= 'A' && c <= 'Z' ? c + 32 : c;

        chars->at[chars->n++] = c;
        if (is_in_word(folded) && !is_word_alone(c)) {
            word = entropy_mix(word ? word : 1, folded);
            continue;
        }
        if (word)
            words->at[words->n++] = word;
        if (is_word_alone(c))
            words->at[words->n++] = c;
        word = 0;
    }
    if (word)
        words->at[words->n++] = word;
}

static double entropy_clamp(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

struct entropy entropy_of(struct arena *a, const char *text)
{
    size_t most = strnlen(text, ENTROPY_CHARS);
    struct signs chars = {ARENA_ARRAY(a, uint64_t, most + 1), 0};
    struct signs words = {ARENA_ARRAY(a, uint64_t, most + 1), 0};
    struct entropy e;

    entropy_gather(text, &chars, &words);
    e.chars = entropy_clamp(entropy_bits_of(chars) / CHAR_BITS);
    e.words = words.n < 2 ? 0 : entropy_clamp(entropy_bits_of(words) / log2((double)words.n));
    e.score = entropy_clamp((e.chars + e.words) / 2);
    e.band = e.score >= ENTROPY_HIGH ? BAND_HIGH : e.score <= ENTROPY_LOW ? BAND_LOW : BAND_MEDIUM;
    return e;
}
