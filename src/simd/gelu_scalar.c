/* The Gaussian error linear unit in plain C and double. */
#include <math.h>

#include "simd_impl.h"

void gelu_scalar(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((double)x[i] * 0.5 * erfc(-(double)x[i] * M_SQRT1_2));
}
