/* Text to terms: what BM25 counts, of documents and of queries alike. */
#ifndef LOCI_ANALYZE_H
#define LOCI_ANALYZE_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define TERM_BYTES 128 /* a longer word is cut, a longer identifier is kept in its parts only */

/* Where in a node a text stands. */
enum text_field { TEXT_BODY, TEXT_TITLE, TEXT_TAGS, TEXT_FIELDS };

enum term_flag {
    TERM_STOP = 1,    /* says nothing: found in phrases, not counted in lengths */
    TERM_EXTRA = 2,   /* another form of what stands at its position: found, not counted in lengths */
    TERM_CAPITAL = 4, /* written with a capital letter */
    TERM_OPENS = 8,   /* the first word of its text or sentence */
};

enum analyze_option {
    ANALYZE_EXACT = 1, /* no stemmer, no stop words: names of skills */
    ANALYZE_QUERY = 2, /* leaves out forms that only documents need */
};

struct text_term {
    const char *text;  /* normalised UTF-8, no NUL at its end */
    uint32_t position; /* within its field */
    uint32_t hash;     /* of text; see term_hash() */
    uint16_t length;
    uint8_t field, flags;
};

/* The terms of one document or query; set arena, the rest zero. Fields may be added piece by piece: pieces
   of one field do not form phrases with each other. */
struct text_terms {
    struct arena *arena;
    struct text_term *at;
    size_t n, cap;
    uint32_t next[TEXT_FIELDS]; /* the position of the next word */
    char *pool;
    size_t pool_left;
};

struct analyzer;

/* language: a Snowball name or ISO 639 code ("english", "de"), or "none" for words as they are; NULL if
   there is no such stemmer. For one thread at a time; comes to own 900 kB, if it is given many words. */
struct analyzer *analyzer_new(const char *language);
void analyzer_free(struct analyzer *z);

/* Adds the terms of n bytes of text. Takes anything: bytes that are not UTF-8 stand for spaces.
   options: of enum analyze_option. */
void analyze(struct analyzer *z, enum text_field field, const char *text, size_t n, unsigned options,
             struct text_terms *out);

uint32_t term_hash(const char *text, size_t n);

#endif
