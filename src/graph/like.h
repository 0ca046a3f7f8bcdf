/* Patterns for LIKE from what people type: % and _ mean themselves. */
#ifndef LOCI_LIKE_H
#define LOCI_LIKE_H

#include "arena.h"

const char *like_prefix(struct arena *a, const char *text); /* text% */
const char *like_part(struct arena *a, const char *text);   /* %text% */

#endif
