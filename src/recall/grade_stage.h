/* What the grade stage leaves for the bundle. */
#ifndef LOCI_GRADE_STAGE_H
#define LOCI_GRADE_STAGE_H

#include "recall_impl.h"
#include "render.h"

/* Results of the web that the grade asked for. */
void grade_externals(const struct recall *r, const struct render_external **out, size_t *n);

#endif
