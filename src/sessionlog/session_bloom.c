/* The filter; see session_bloom.h. */
#include "session_bloom.h"

#include <stdbool.h>

#define BITS (BLOOM_BYTES * 8u)

static uint32_t bloom_bit(const unsigned char *p, uint32_t seed)
{
    uint32_t h = ((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) * 2654435761u + seed;

    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    return h % BITS;
}

#define SEED_ONE 0x9e3779b9u
#define SEED_TWO 0x85ebca6bu

void bloom_add(uint8_t filter[BLOOM_BYTES], const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;

    for (size_t i = 0; i + 3 <= n; i++) {
        uint32_t one = bloom_bit(p + i, SEED_ONE), two = bloom_bit(p + i, SEED_TWO);

        filter[one / 8] |= (uint8_t)(1u << one % 8);
        filter[two / 8] |= (uint8_t)(1u << two % 8);
    }
}

static size_t bloom_place(uint32_t place, uint32_t *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (places[i] == place)
            return n;
    if (n < BLOOM_PLACES_MAX)
        places[n++] = place;
    return n;
}

size_t bloom_places(const char *text, size_t n, uint32_t places[BLOOM_PLACES_MAX])
{
    const unsigned char *p = (const unsigned char *)text;
    size_t found = 0;

    for (size_t i = 0; i + 3 <= n; i++) {
        found = bloom_place(bloom_bit(p + i, SEED_ONE), places, found);
        found = bloom_place(bloom_bit(p + i, SEED_TWO), places, found);
    }
    return found;
}
