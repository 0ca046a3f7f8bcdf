/* A Bloom filter of the byte trigrams of texts: says for sure that a text is not in a block. */
#ifndef LOCI_SESSION_BLOOM_H
#define LOCI_SESSION_BLOOM_H

#include <stddef.h>
#include <stdint.h>

#define BLOOM_BYTES 2048
#define BLOOM_PLACES_MAX 64 /* bits of a query that are asked for; more would not leave out more */

/* All trigrams of the text are in the filter afterwards. */
void bloom_add(uint8_t filter[BLOOM_BYTES], const char *text, size_t n);
/* The bits that every filter has which has all trigrams of the text, each once; their number. 0: the text is too short to tell. */
size_t bloom_places(const char *text, size_t n, uint32_t places[BLOOM_PLACES_MAX]);

#endif
