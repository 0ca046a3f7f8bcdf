/* Texts as the embedder sees them: white space collapsed, and long ones in windows that end where sentences end. */
#ifndef LOCI_WINDOWS_H
#define LOCI_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "tokenizer.h"

struct windows {
    const uint16_t *ids; /* of all windows */
    const size_t *ends;  /* where each ends in ids */
    size_t n;            /* 0: there is nothing in the text */
};

/* White space of every kind to one space, none at the ends; *n: its length. */
char *collapse_space(struct arena *a, const char *text, size_t bytes, size_t *n);

/* One window when the text has at most whole tokens; else windows of at most part. */
struct windows windows_of(const struct vocabulary *v, struct arena *a, const char *text, size_t bytes, size_t whole,
                          size_t part);

/* The text in pieces of at most most bytes, white space collapsed, cut where sentences end if that can be, else between
 * words; at most max of them. */
struct text_pieces {
    const char *const *at;
    size_t n;
};
struct text_pieces pieces_of(struct arena *a, const char *text, size_t bytes, size_t most, size_t max);

#endif
