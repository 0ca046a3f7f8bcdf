/* A count and its noun agree: every number and text of a model has endings that a template may ask for. */
#ifndef LOCI_WORDS_H
#define LOCI_WORDS_H

#include "json.h"

/* "key{{n.s}}", "entr{{n.ies}}", "come{{n.verb}}", "{{n.were}}": what follows from n being 1. NULL: no such ending, or no count. */
const struct json *words_ending(const struct json *count, const char *name);

#endif
