/* The text of a hit as it is served: cut, escaped, and the same for everything that counts or shows it. */
#ifndef LOCI_SERVE_TEXT_H
#define LOCI_SERVE_TEXT_H

#include "recall_impl.h"
#include "word_match.h"

#define SNIPPET_CHARS 360 /* up to here white space is collapsed, too */

/* Inert, at most in->body_chars characters of the candidate's body; "" where there is none or none is wanted. Its text
 * must have been loaded. */
const char *recall_served(struct recall *r, struct candidate *k);
/* The candidate is served with another text than its own: a part of it, not yet inert. */
void recall_serve(struct recall *r, struct candidate *k, const char *part);
/* Its title, inert; "" where there is none. */
const char *recall_served_title(struct recall *r, const struct candidate *k);

/* The words of the query, and the analyzer they came from; made at first use. */
const struct query_words *recall_words(struct recall *r);
struct analyzer *recall_analyzer(struct recall *r);

#endif
