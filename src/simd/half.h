/* Numbers of 16 bits, as IEEE 754 has them: how the weights come, and how embeddings are kept. */
#ifndef LOCI_HALF_H
#define LOCI_HALF_H

#include <stdint.h>
#include <string.h>

/* Exact. The exponent is moved by a product, which takes care of denormal numbers as well. */
static inline float half_to_float(uint16_t half)
{
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;
    float f;

    memcpy(&f, &bits, sizeof f);
    f *= 0x1p112f;
    memcpy(&bits, &f, sizeof bits);
    bits |= sign;
    memcpy(&f, &bits, sizeof f);
    return f;
}

#endif
