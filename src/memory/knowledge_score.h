/* How good a piece of shared knowledge is: by its form, its use, what others say of it, and how fresh that is. */
#ifndef LOCI_KNOWLEDGE_SCORE_H
#define LOCI_KNOWLEDGE_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"

#define QUALITY_HIGH 0.7

struct knowledge_facts {
    double structure; /* of knowledge_structure() */
    int64_t uses, rating_sum, rating_count;
    struct instant created_at, last_used_at; /* 0: never used */
};

/* 0 to 1: length, a heading, a list, a code fence, tags. */
double knowledge_structure(const char *content, size_t n_tags);
/* 0 to 1, 4 digits; the same formula whenever it is asked. */
double knowledge_quality(const struct knowledge_facts *f, struct instant now);

#endif
