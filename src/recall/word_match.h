/* How a text answers a query, word by word: what it covers, how close together, in which order, with which numbers. */
#ifndef LOCI_WORD_MATCH_H
#define LOCI_WORD_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze.h"

#define QUERY_WORDS 32 /* of a query that are looked for; what comes later is left out */

enum word_is {
    WORD_IS_NAME = 1,   /* written with a capital, though no sentence begins with it */
    WORD_IS_NUMBER = 2, /* begins with a digit: numbers, dates, versions */
};

/* A word of the query: all forms that stand at its place. */
struct query_word {
    uint32_t position;
    unsigned is;
    float weight;  /* 1 until the caller knows better: rare words should weigh more */
    uint32_t hash; /* of its first form */
};

struct query_words {
    struct query_word at[QUERY_WORDS];
    size_t n;
    struct word_form *forms; /* a table with open addresses */
    size_t n_slots;
};

/* The words that say something; a query of nothing but stop words has those. */
struct query_words *query_words(struct arena *a, struct analyzer *z, const char *query, size_t n);
/* Weighs them by how rare they are, which rarity says of the hash of a form; below 0: not known, as the others on average. */
void query_words_weigh(struct query_words *q, double (*rarity)(const void *arg, uint32_t hash), const void *arg);

/* All from 0 to 1. */
struct word_match {
    float coverage;       /* share of the query's words, by weight */
    float proximity;      /* how close together the words that were found stand: 1 side by side */
    float phrase;         /* share of the pairs of neighbours in the query that are neighbours here */
    float title;          /* share of the words found in the title */
    float names, numbers; /* share of the query's names and numbers; 0 if it has none */
    uint64_t found;       /* one bit for each word */
};

/* a holds scratch memory. title may be "". */
struct word_match word_match(const struct query_words *q, struct arena *a, struct analyzer *z, const char *title,
                             const char *body);
/* Which of the query's words stand in n bytes of text. */
uint64_t words_found(const struct query_words *q, struct arena *a, struct analyzer *z, const char *text, size_t n);

static inline bool query_has(const struct query_words *q, enum word_is is)
{
    for (size_t i = 0; i < q->n; i++)
        if (q->at[i].is & is)
            return true;
    return false;
}

#endif
