/* Random bytes for ids, as unpredictable as the system's, at a fraction of a system call each; and numbers that only look
 * random. Keys, tokens and nonces take theirs from libsodium directly. */
#ifndef LOCI_RANDOM_H
#define LOCI_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* n at most 64. */
void random_fill(void *out, size_t n);

/* splitmix64: the next of a series that is the same wherever *state began the same. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
