/* Learning the cells of a part; seen by dense_cells.c, dense_centres.c and dense_reach.c only. */
#ifndef LOCI_DENSE_LEARN_H
#define LOCI_DENSE_LEARN_H

#include "dense_part.h"

/* Zeroed memory on a cache line, to be given back by free(). */
void *dense_room(size_t n, size_t size);

/* Adds what bytes point to, 1 long. */
void dense_add_direction(float *sum, const struct codec *codec, const int8_t *bytes);

/* ---- centres; dense_centres.c */

/* With the same centres, and no rows. */
struct dense_cells *dense_cells_like(const struct dense_cells *from);
/* The centre is where x points, which is changed; it stays where it was if x is 0. */
void dense_cells_set(struct dense_cells *c, const struct codec *codec, uint32_t cell, float *x);

/* For one thread. The centres may be set anew afterwards only. */
struct cell_finder;
struct cell_finder *cell_finder_new(const struct dense_cells *cells, const struct codec *codec);
void cell_finder_free(struct cell_finder *f);
/* The cell whose centre is nearest. */
uint32_t cell_finder_find(struct cell_finder *f, const int8_t *bytes);

/* ---- how far they reach, once in_cells holds the rows of p; dense_reach.c */

void cells_set_leans(struct dense_cells *c, const struct dense_part *in_cells);
void cells_set_reach(struct dense_cells *c, const struct dense_part *p, const struct dense_part *in_cells);

#endif
