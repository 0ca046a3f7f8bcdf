/* The sparse signal: which rows of a snapshot have the words of a query, by BM25 over all its segments. */
#ifndef LOCI_KEYWORD_H
#define LOCI_KEYWORD_H

#include "ctx.h"
#include "filter.h"
#include "json.h"
#include "snapshot.h"

/* A query, made ready for one snapshot, which must outlive it. */
struct keyword;

/* counts: the rows whose words count in the statistics; whatever the caller may read. Never NULL. */
struct keyword *keyword_begin(struct ctx *c, const struct snapshot *s, const struct filter *counts, const struct filter *wanted,
                              const char *query);
/* The same with a text whose words are looked for: nothing in it is an operator. */
struct keyword *keyword_begin_text(struct ctx *c, const struct snapshot *s, const struct filter *counts,
                                   const struct filter *wanted, const char *text);

/* What a query requires (+word) or excludes (-word) holds for every signal: leaves only such rows in *wanted. */
void keyword_narrow(struct ctx *c, const struct snapshot *s, const struct filter *counts, const char *query,
                    struct filter *wanted);

/* Gives back the memory of a query, which is much for some; else that happens at the end of the request. What it told
   lives on. */
void keyword_end(struct keyword *q);

struct keyword_hits {
    struct scored *at; /* the highest score first, equal ones by id */
    size_t n;
};
/* The best k rows of those wanted. */
void keyword_find(struct keyword *q, size_t k, struct keyword_hits *out);
/* Sets the score of each row of the list, in any order; 0 for rows without any of the words. */
void keyword_score(struct keyword *q, struct scored *list, size_t n);
/* The same with the part of a row's own words, its title apart, that the query has: of one that it quotes nearly all. */
void keyword_said(struct keyword *q, struct scored *list, size_t n);
/* How rare a word of the query is, by the hash of one of its forms; below 0: not known. */
double keyword_rarity(const struct keyword *q, uint32_t hash);
/* Which part of the query's best covered sentence the row has, words weighed by their rarity; 0 to 1. Words that are nowhere count. */
double keyword_coverage(struct keyword *q, uint32_t row);
/* How many words the row has, those of its title twice, and the mean of the rows that count. */
double keyword_length(const struct keyword *q, uint32_t row);
double keyword_mean_length(const struct keyword *q);
size_t keyword_sentences(const struct keyword *q); /* of the query */
/* The words that the row has, and what each adds to its score. */
struct json *keyword_explain(struct keyword *q, uint32_t row);

#endif
