/* What people write into a search box, as clauses over terms. */
#ifndef LOCI_SPARSE_QUERY_H
#define LOCI_SPARSE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze.h"
#include "str.h"

/* One word of a clause: any of its forms will do (stems of several languages, the word as it is). */
struct sparse_word {
    const struct bytes *forms;
    size_t n_forms;
    uint32_t offset; /* from the first word of a phrase */
    bool prefix;     /* the forms are beginnings */
};

enum clause_role { CLAUSE_OPTIONAL, CLAUSE_REQUIRED, CLAUSE_EXCLUDED };

struct sparse_clause {
    const struct sparse_word *words; /* several: a phrase */
    size_t n_words;
    enum clause_role role;
    bool title;        /* in titles only */
    uint32_t sentence; /* of the query, from 0 */
    uint32_t first;    /* the clause of an earlier sentence that is the same word; its own number: there is none */
    const char *text;  /* to show */
};

/* A long query has several sentences, each of which may be what is meant; a word counts once in each. */
#define SPARSE_SENTENCES 16

struct sparse_query {
    const struct sparse_clause *clauses;
    size_t n, n_sentences;
    bool earlier[SPARSE_SENTENCES]; /* stands on a line before the last one: what was said before the question */
};

/* Reads "a phrase", +required, -excluded, begin*, title:word and plain words; what cannot be meant that way is plain words, and so
   is everything but phrases in a text of more than a dozen words. Any text will do. A query of stop words alone looks for them.
   Analyzers: one for each language searched, at least one. The result lives in the arena. */
const struct sparse_query *sparse_query_parse(struct arena *a, struct analyzer *const *z, size_t n_z,
                                              const char *text, size_t n);
/* The same of plain words: nothing in the text is an operator. */
const struct sparse_query *sparse_query_words(struct arena *a, struct analyzer *const *z, size_t n_z,
                                              const char *text, size_t n);

#endif
