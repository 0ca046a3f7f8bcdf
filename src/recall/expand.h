/* Expanding a query (expand: hyde): with a language model by answers it might have, without by names and split identifiers. */
#ifndef LOCI_EXPAND_H
#define LOCI_EXPAND_H

#include "recall_impl.h"

/* Sets understood.hypotheses or understood.expansion. */
void expand_query(struct recall *r);
void expand_explain(struct recall *r, struct json *out);

#define EXPAND_NAMES 8 /* longer names that are added */

/* Words that belong to the query's: parts of its identifiers, and names of readable texts that a name of it is part of.
 * NULL: none. */
const char *expand_words(struct arena *a, const struct snapshot *s, const struct filter *f, const char *query);

#endif
