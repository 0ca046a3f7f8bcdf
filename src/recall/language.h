/* Languages by number: of a node's words, and of the queries that shall find them. */
#ifndef LOCI_LANGUAGE_H
#define LOCI_LANGUAGE_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"

#define LANGUAGE_ENGLISH 0 /* where nothing else is said */
#define LANGUAGE_NONE 1    /* words as they are: a language that nobody made a stemmer for */
#define LANGUAGES 32

/* Of a tag ("de", "de-AT") or an English name ("german"); NULL or "": English. */
uint8_t language_of(const char *tag);
/* For analyzer_new(). */
const char *language_name(uint8_t language);

/* The languages of the rows in a bitmap, English if there are none; returns how many. */
size_t language_of_rows(const struct snapshot *s, const uint64_t *bits, uint8_t out[LANGUAGES]);

#endif
