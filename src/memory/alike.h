/* Are two texts the same memory? Nearness of meaning is not enough: "the budget is 100" and "the budget is 200" mean nearly
 * the same to a model, and must both live. */
#ifndef LOCI_ALIKE_H
#define LOCI_ALIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"

#define ALIKE 0.92 /* calibrated similarity from which on two texts may be one */

/* Do the texts differ in a number, date, version, name with a digit in it, or in negation? */
bool alike_differs(struct arena *a, const char *x, const char *y);
/* Near enough, and the same in such details. */
bool similar_enough(struct arena *a, double similarity, const char *x, const char *y);

/* Has the text two words at least? A bare value (3, true, blue) says something only together with its key. */
bool alike_says_something(const char *text);

/* As its vector is made of it: a title that the body begins with says nothing more. */
const char *alike_text(struct arena *a, const char *title, const char *body);

/* A live node that says the same, by its vector; id nil: there is none, or nobody knows yet (no model, no vector). */
struct alike {
    struct uuid id, space_id;
    double similarity;
};
/* The nearest node of the kind in one of the spaces that is similar_enough(). title may be empty. Talks to a model: not
 * inside a transaction. */
err alike_find(struct ctx *c, const char *kind, const char *title, const char *body, const struct uuid *spaces, size_t n_spaces,
               struct alike *out);

#endif
