/* From a candidate to its place in the bundle; for the stages that count and write it. */
#ifndef LOCI_RENDER_STAGE_H
#define LOCI_RENDER_STAGE_H

#include "recall_impl.h"
#include "render.h"

/* Its text must have been loaded. */
struct render_hit render_hit_of(struct recall *r, const struct candidate *k);

#endif
