/* Passages: a long text is also found by any of its parts, each a node of kind chunk that names the whole. */
#ifndef LOCI_PASSAGE_H
#define LOCI_PASSAGE_H

#include "ctx.h"

#define PASSAGES_FROM 8000 /* bytes of a text from which on it has passages */
#define PASSAGE_SIZE 1600  /* characters */
#define PASSAGE_OVERLAP 160

/* A text, and the node whose text it is. text NULL: there is none (any more). */
struct passages_of {
    struct uuid id, space_id;
    const char *title, *text;
};
/* The passages of `was` become those of `now`, by difference, inside the caller's transaction: what is gone from the text is gone from
 * recall with its commit. A text that is short, and was, costs nothing. */
err passages_follow(struct ctx *c, const struct passages_of *was, const struct passages_of *now);

#endif
