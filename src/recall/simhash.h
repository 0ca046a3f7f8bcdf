/* SimHash: 64 bits of a text; the fewer of them differ, the more alike two texts are. */
#ifndef LOCI_SIMHASH_H
#define LOCI_SIMHASH_H

#include <stdint.h>

/* Over the words of both texts, without regard to case; 0 for texts without words. */
uint64_t simhash(const char *title, const char *body);

#endif
