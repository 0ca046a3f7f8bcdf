/* Text to the numbers of its pieces, exactly as the model's original tokenizer does it. */
#ifndef LOCI_TOKENIZER_H
#define LOCI_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "vocabulary.h"

/* n pieces; starts_word[i] says whether piece i begins with a space. */
struct tokens {
    uint16_t *ids;
    bool *starts_word;
    size_t n;
};

/* Nothing is trimmed or collapsed: this is the reference, with its quirks. Bytes that are no UTF-8 count as U+FFFD. Text
 * that is empty, or that normalisation empties, has no pieces. */
struct tokens tokenize(const struct vocabulary *v, struct arena *a, const char *text, size_t n);

#endif
