/* A snippet: the stretch of a long text that says most of what the query asks for. */
#ifndef LOCI_SNIPPET_H
#define LOCI_SNIPPET_H

#include "word_match.h"

#define SNIPPET_LOOK (16 * 1024) /* bytes of a text that are looked through */

/* At most max characters of text, beginning and ending with whole sentences where they fit; "…" stands where something is
 * left out. one_line: white space is collapsed. text itself, or its one line, when all of it fits. *cut says whether it
 * does not. */
const char *snippet(const struct query_words *q, struct arena *a, struct analyzer *z, const char *text, size_t max,
                    bool one_line, bool *cut);

#endif
