/* The words of a text as mentions see them; for the files of mentions only. */
#ifndef LOCI_MENTION_WORDS_H
#define LOCI_MENTION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define WORD_BYTES 64

enum word_flag {
    WORD_CAPITAL = 1,
    WORD_IDENTIFIER = 2,
    WORD_NUMBER = 4,             /* digits only */
    WORD_OPENS = 8,              /* first of its sentence */
    WORD_APART = 16,             /* a sign stands before it: no phrase goes over it */
    WORD_QUOTED = 32,            /* between double quotes … */
    WORD_QUOTE_OPENS = 64,       /* … and the first there */
};

struct name_word {
    char text[WORD_BYTES]; /* folded, not terminated */
    size_t n;
    unsigned flags;
};

/* Begins as {.p = text, .opens = true}. */
struct word_reader {
    const char *p;
    bool opens, apart, quoted, quote_opens;
};

/* false at the end. */
bool next_word(struct word_reader *r, struct name_word *out);
/* Not among the flags: few words are asked, and it takes longest. */
bool word_is_stop(const struct name_word *w);

#endif
