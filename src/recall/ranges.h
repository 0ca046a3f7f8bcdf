/* Numbers in ranges that follow one another, as rows in segments and slots in cells: which range holds one. */
#ifndef LOCI_RANGES_H
#define LOCI_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* The last of n ranges (one at least) that begins at x or before; starts ascend. */
static inline size_t range_of(const uint32_t *starts, size_t n, uint32_t x)
{
    size_t low = 0, high = n;

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;

        if (starts[mid] <= x)
            low = mid;
        else
            high = mid;
    }
    return low;
}

#endif
