/* The words of a node: which of its texts BM25 counts, and in which field. */
#ifndef LOCI_ROW_WORDS_H
#define LOCI_ROW_WORDS_H

#include "segment.h"

/* Adds the terms of title, body and tags; of what was said in a conversation also who said it, and when in
   words. */
void row_words(struct analyzer *z, const struct index_row *row, struct text_terms *out);

#endif
