/* A made-up vocabulary of the model's size, for tests that have no model: letters, pairs of letters, some words. */
#ifndef LOCI_SMALL_VOCABULARY_H
#define LOCI_SMALL_VOCABULARY_H

#include <stdlib.h>

#include "vocabulary.h"

#define SMALL_FIRST_PAIR (PIECE_FIRST + 27)

/* Pieces by number: 6 is "▁", then "a" to "z", "▁a" to "▁z", then pairs "aa", "ab" … and their continuations. */
static inline struct vocabulary *small_vocabulary(struct arena *a)
{
    struct vocabulary *v = ARENA_NEW(a, struct vocabulary);
    struct json *pieces = json_arr(a);
    const char *why = "";

    for (unsigned i = 0; i < MODEL_PIECES; i++) {
        struct json *row = json_arr(a);
        unsigned n = i - SMALL_FIRST_PAIR;
        const char *text = arena_printf(a, "<%u>", i);

        if (i == PIECE_FIRST)
            text = "\xe2\x96\x81";
        else if (i > PIECE_FIRST && i < SMALL_FIRST_PAIR)
            text = arena_printf(a, "%c", 'a' + (int)(i - PIECE_FIRST - 1));
        else if (i >= SMALL_FIRST_PAIR && n < 26)
            text = arena_printf(a, "\xe2\x96\x81%c", 'a' + (int)n);
        else if (i >= SMALL_FIRST_PAIR && n < 26 + 676)
            text = arena_printf(a, "%c%c", 'a' + (int)((n - 26) / 26), 'a' + (int)((n - 26) % 26));
        else if (i >= SMALL_FIRST_PAIR && n % 3 == 0)
            text = arena_printf(a, "%c%c%c", 'a' + (int)(n % 26), 'a' + (int)(n / 26 % 26), 'a' + (int)(n / 676));
        json_push(row, json_str(a, text));
        json_push(row, i % 97 == 5 ? json_new(a, JSON_NULL) : json_num(a, -2 - (double)(i % 1000) / 100));
        json_push(pieces, row);
    }
    if (!vocabulary_build(a, pieces, v, &why))
        abort();
    return v;
}

#endif
