/* Random bytes for ids: as unpredictable as the system's, at a fraction of a system call each. Keys, tokens and nonces take
 * theirs from libsodium directly. */
#ifndef LOCI_RANDOM_H
#define LOCI_RANDOM_H

#include <stddef.h>

/* n at most 64. */
void random_fill(void *out, size_t n);

#endif
