/* Sentences of a text, for what goes by sentence: what a grade strips, and what an echo is known by. */
#ifndef LOCI_SENTENCES_H
#define LOCI_SENTENCES_H

#include <stddef.h>

/* The sentence that begins at or after p, without the white space around it: its start, its length in *n. NULL when there
 * is none. A sentence ends with . ! ? or their like of other scripts before white space and no small letter, at a line's
 * end, or after SENTENCE_BYTES; not after an abbreviation, an initial, or inside numbers, versions and addresses. */
#define SENTENCE_BYTES 2000
const char *sentence_next(const char *p, size_t *n);
/* Where the last line begins that has three words; the text itself, if there is none behind its first. Of a message, what is asked. */
const char *sentence_last_line(const char *text);

#endif
