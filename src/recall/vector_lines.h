/* Nodes that wait for their vectors: a line for each account, served in turn. Whoever owns it locks it. */
#ifndef LOCI_VECTOR_LINES_H
#define LOCI_VECTOR_LINES_H

#include <stddef.h>

#include "uuid.h"

struct vector_lines;

struct vector_lines *vector_lines_new(void);
void vector_lines_free(struct vector_lines *l);

/* How many of them found a place, the first ones: one account gets at most half of the places that are left. */
size_t vector_lines_add(struct vector_lines *l, struct uuid account, const struct uuid *ids, size_t n);
/* The first nodes, at most max, of the line whose turn it is; 0: nobody waits. They keep their places until … */
size_t vector_lines_next(const struct vector_lines *l, struct uuid *account, struct uuid *ids, size_t max);
/* … its turn is over: so many of them (or all there are) are done with, and it goes behind the others. */
void vector_lines_served(struct vector_lines *l, size_t n);

size_t vector_lines_waiting(const struct vector_lines *l);       /* nodes */

#endif
