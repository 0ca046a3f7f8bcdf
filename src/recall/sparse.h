/* BM25 over the rows of segments: immutable postings, built in one pass, searched with filters and exact
   statistics. */
#ifndef LOCI_SPARSE_H
#define LOCI_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze.h"
#include "pack.h"
#include "sparse_query.h"
#include "uuid.h"

/* The postings of one segment; rows are numbered from 0. Never changes once made: any number of threads may
   read. */
struct sparse;

uint32_t sparse_rows(const struct sparse *s);
size_t sparse_bytes(const struct sparse *s); /* of memory held */
void sparse_free(struct sparse *s);

/* ---- building: one document after the other, each the next row */

struct sparse_builder;

struct sparse_builder *sparse_builder_new(void);
void sparse_builder_add(struct sparse_builder *b, const struct text_terms *terms);
size_t sparse_builder_bytes(const struct sparse_builder *b);
struct sparse *sparse_builder_finish(struct sparse_builder *b); /* frees b */
void sparse_builder_free(struct sparse_builder *b);             /* without finishing it */

/* Row bitmaps: bit r % 64 of word r / 64; as many words as the rows need; NULL means every row. */
struct sparse_source {
    const struct sparse *index;
    const uint64_t *live;
};
/* One segment out of several: the live rows of the first, in order, then those of the second, and so on.
   The result answers like one that was built from the documents anew. */
struct sparse *sparse_merge(const struct sparse_source *from, size_t n);

/* ---- as bytes: see segment_pack.h */

#define SPARSE_LAYOUT 2 /* grows whenever its arrays, or what makes words of texts, change */
struct sparse_pack {
    uint32_t rows, terms, slot_mask, titles;
    uint64_t length, text, data;
};
void sparse_pack(struct sparse *s, struct sparse_pack *meta, struct pack_list *out);
struct sparse *sparse_unpack(const struct sparse_pack *meta, struct pack_list *out);

/* ---- statistics */

/* The rows of one segment that count: those the caller may read. What is not in them has no influence on
   any score. Remembers how many of them have which words. For any number of threads. */
struct sparse_scope;

/* The scope of a bitmap, which is copied: one of the few that the segment keeps, or a new one, which it
   keeps in the place of the longest unused. NULL: all rows. To be dropped, be it after the segment. */
struct sparse_scope *sparse_scope_of(const struct sparse *s, const uint64_t *rows);
void sparse_scope_drop(struct sparse_scope *scope);

/* ---- searching */

/* A segment to search. */
struct sparse_part {
    const struct sparse *index;
    struct sparse_scope *scope; /* which rows count; NULL: all */
    const uint64_t *filter;     /* which rows may be found; NULL: all */
    const struct uuid *ids;     /* of each row; decide between equal scores */
};

struct sparse_hit {
    double score;
    uint32_t part, row;
};

/* One query over one set of parts: words looked up and weighed. Lives in the arena; parts must outlive it. */
struct sparse_search;

struct sparse_search *sparse_search_new(struct arena *a, const struct sparse_query *q,
                                        const struct sparse_part *parts, size_t n_parts);

/* The rows of a part that may be found: those of its filter that have what the query requires and nothing that it
   excludes. NULL: all. Lives as long as the search and its parts. */
const uint64_t *sparse_allowed(const struct sparse_search *s, uint32_t part);

/* The best k hits, best first, equal ones by id; returns how many. The order and the scores do not depend
   on how rows are spread over parts. A title that the query has says more than its words do one by one: that is added to
   those k, and orders them. */
size_t sparse_top(struct sparse_search *s, size_t k, struct sparse_hit *out);

/* The scores of n rows of one part, in ascending order; 0 for a row without any word of the query. Filters,
   required and excluded words do not matter here. */
void sparse_score(struct sparse_search *s, uint32_t part, const uint32_t *rows, size_t n, double *out);

/* Which part of a row's own words, its title apart, the query has: of one that it quotes nearly all. Rows as above. */
void sparse_said(struct sparse_search *s, uint32_t part, const uint32_t *rows, size_t n, double *out);

/* How rare a word of the query is among the rows that count: its idf. hash: term_hash() of one of its forms. Below 0: the
   query has no clause that is this word alone. */
double sparse_rarity(const struct sparse_search *s, uint32_t hash);

/* Which part of the query the row has: of all words of a sentence, of which the best covered counts, those of this row, each as
   much as it is rare; what no row has is rarest. 0 to 1. */
double sparse_coverage(struct sparse_search *s, uint32_t part, uint32_t row);

/* A row's words, those of its title twice, and what the rows that count have on the mean. */
double sparse_length(const struct sparse_search *s, uint32_t part, uint32_t row);
double sparse_mean_length(const struct sparse_search *s);
size_t sparse_sentences(const struct sparse_search *s); /* of the query */

/* Why a row has its score: shares add up to it. */
struct sparse_share {
    const char *clause;         /* as the query has it, analysed */
    uint64_t documents, with;   /* rows that count, and those of them that match the clause */
    double idf;                 /* as far as the word is believed: the more words its sentence has, the less */
    double frequency;           /* weighted by field */
    double length, mean_length; /* likewise */
    double score;
};
/* The clauses that the row matches; returns how many, in *out (arena). */
size_t sparse_explain(struct sparse_search *s, uint32_t part, uint32_t row, const struct sparse_share **out);

#endif
