/* Searching entries by meaning and by words: recall over contexts. */
#ifndef LOCI_ENTRY_SEARCH_H
#define LOCI_ENTRY_SEARCH_H

#include "entry.h"

#define SEARCH_TYPE(X) X(SEARCH_HYBRID, "hybrid") X(SEARCH_SEMANTIC, "semantic") X(SEARCH_KEYWORD, "keyword")
ENUMX_DECLARE(search_type, SEARCH_TYPE);

#define ENTRY_QUERY 4096 /* characters, as recall takes them */
#define RECALLED_TAGS 16

struct entry_search {
    const char *context;         /* id or handle; NULL: all that the caller may read */
    const char *query;           /* NULL: by its embedding alone */
    struct nums query_embedding; /* none: made of the query */
    const char *model;           /* whose vector that is */
    enum search_type search_type;
    struct strs entry_types, memory_types, tags; /* of each list that is not empty: types one of, tags all of */
    enum outcome outcome;                        /* unknown: any */
    double min_importance, min_score;            /* min_score cuts what is found by meaning alone */
    int64_t limit;
    bool peek; /* looks without counting as use, as a person does who is watching */
};

struct entry_hit {
    const struct entry *entry;
    double score;      /* relevance times lifecycle; hits are sorted by it */
    double similarity; /* calibrated, of meaning; -1: not compared */
};

struct entry_hits {
    struct list hits;     /* of struct entry_hit */
    struct strs degraded; /* what was not to be had */
};

/* Counts as use, unless it peeks. Kept copies of working memory are found only where memory_types names them. */
err entry_search(struct ctx *c, const struct entry_search *in, struct entry_hits *out);

/* Notes a search in the access log of the context that was asked, or (asked NULL) of each in which something was found; contexts:
 * of each hit. query NULL: it had no words. */
err entry_search_log(struct ctx *c, const char *query, const struct uuid *asked, const struct uuid *contexts, size_t n);

#endif
