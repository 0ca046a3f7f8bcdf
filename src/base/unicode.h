/* One spelling for text that people compare: names, titles, addresses. */
#ifndef LOCI_UNICODE_H
#define LOCI_UNICODE_H

#include "arena.h"

/* Unicode normal form C of valid UTF-8; s itself when it is plain ASCII. */
const char *unicode_nfc(struct arena *a, const char *s);
/* The same without case, for what is equal whatever its case; likewise. */
const char *unicode_fold(struct arena *a, const char *s);
/* Lower case of each code point by itself; nothing is composed or left out. */
const char *unicode_lower(struct arena *a, const char *s);

/* Without case, accents, compatibility forms and what cannot be seen: for names that are the same name. */
const char *unicode_bare(struct arena *a, const char *s);

/* Lower case without accents (NFKD), for names in addresses; "" for what is not valid UTF-8. */
const char *unicode_plain(struct arena *a, const char *s);

#endif
