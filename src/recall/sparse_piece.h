/* Pieces of a query, one after the other: a word or a phrase in quotation marks, and what is asked of it. */
#ifndef LOCI_SPARSE_PIECE_H
#define LOCI_SPARSE_PIECE_H

#include "sparse_query.h"

struct piece {
    const char *text;
    size_t n; /* may be 0 */
    enum clause_role role;
    bool title, quoted, prefix;
};

/* The query, and how far it was read. */
struct pieces {
    const char *p;
    size_t n, at;
};

/* false: there is none any more. What makes no sense as an operator is part of the word. */
bool pieces_next(struct pieces *t, struct piece *p);

#endif
