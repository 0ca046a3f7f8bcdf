/* What a transformer does row by row, in plain C and double. */
#include <math.h>
#include <string.h>

#include "half.h"
#include "simd_impl.h"

void layer_norm_scalar(const float *x, size_t n, double epsilon, const float *gain, const float *bias, float *out)
{
    double mean = 0, variance = 0, scale;

    for (size_t i = 0; i < n; i++)
        mean += (double)x[i];
    mean /= (double)n;
    for (size_t i = 0; i < n; i++)
        variance += ((double)x[i] - mean) * ((double)x[i] - mean);
    scale = 1 / sqrt(variance / (double)n + epsilon);
    for (size_t i = 0; i < n; i++)
        out[i] = (float)((double)gain[i] * ((double)x[i] - mean) * scale + (double)bias[i]);
}

void softmax_scalar(float *x, size_t n, float scale)
{
    float top = x[0];
    double sum = 0;

    for (size_t i = 1; i < n; i++)
        if (x[i] > top)
            top = x[i];
    for (size_t i = 0; i < n; i++) {
        double e = exp((double)scale * ((double)x[i] - (double)top));

        x[i] = (float)e;
        sum += e;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((double)x[i] / sum);
}

void tanh_scalar(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)tanh((double)x[i]);
}

/* Round to nearest, ties to even; NaN stays NaN. */
void to_bf16_scalar(const float *x, size_t n, uint16_t *out)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, x + i, sizeof bits);
        if ((bits & 0x7fffffff) > 0x7f800000)
            out[i] = (uint16_t)(bits >> 16 | 0x40);
        else
            out[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
}

void from_half_scalar(const uint16_t *x, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = half_to_float(x[i]);
}

struct quantized quantize_scalar(const float *x, size_t n, uint8_t *out)
{
    struct quantized q;
    float low = 0, high = 0, per;

    for (size_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    per = high - low > QUANTIZE_LEAST ? 255 / (high - low) : 0;
    q.scale = (high - low) / 255;
    q.zero = (int32_t)lrintf(-low * per);
    for (size_t i = 0; i < n; i++) {
        long v = lrintf(x[i] * per) + q.zero;

        out[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
    return q;
}
