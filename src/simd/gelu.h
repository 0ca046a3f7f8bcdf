/* The numbers by which the wide twins of gelu compute; see simd.h. */
#ifndef LOCI_GELU_H
#define LOCI_GELU_H

/* x · Φ(x) = max(x, 0) − a · 2⁻ᵖ⁽ᵃ⁾ with a = |x|, where p(a) = −log₂(1 − Φ(a)): a polynomial within 6e-8 of it (times what
 * it is used for) up to GELU_FAR, where the second term is 6e-9 and counts as constant. Least squares at the zeros of a
 * Chebyshev polynomial, weighted anew until the greatest error no longer falls. */
#define GELU_FAR 6.0f
#define GELU_P0 9.999930573e-01f
#define GELU_P1 1.151201743e+00f
#define GELU_P2 4.587708316e-01f
#define GELU_P3 5.341231806e-02f
#define GELU_P4 -8.080871795e-03f
#define GELU_P5 7.692727134e-04f
#define GELU_P6 -3.309960751e-05f

/* 2ʳ for |r| ≤ ½ within 8e-8 of itself. */
#define GELU_E0 1.000000072e+00f
#define GELU_E1 6.931469670e-01f
#define GELU_E2 2.402211973e-01f
#define GELU_E3 5.550713309e-02f
#define GELU_E4 9.675541242e-03f
#define GELU_E5 1.327646039e-03f

#endif
