/* Words that a question has without being about them. */
#ifndef LOCI_STOPWORDS_H
#define LOCI_STOPWORDS_H

#include <stdbool.h>
#include <stddef.h>

/* word is folded (lower case) and not stemmed. English; negations and numbers are never among them. */
bool stopwords_has(const char *word, size_t n);

#endif
