/* The number crunching that has wide twins, and the choice of the widest this machine can run. */
#ifndef LOCI_SIMD_H
#define LOCI_SIMD_H

#include <stddef.h>
#include <stdint.h>

/* The longest int8 vectors whose dot product always fits an int32: 131071 · (−128)² < 2³¹. Longer ones are an
   assert. */
#define SIMD_I8_MAX 131071

/* One instruction set's implementation of every kernel. Pointers need only their type's alignment; n may be
   0; a and b may be the same. No kernel reads outside its n elements.

   dot_f32: Σ a[i]·b[i]. The scalar twin sums in double; the others stay within
   (n/16 + 16)·2⁻²⁴·Σ|a[i]·b[i]| of the exact sum (plus n·2⁻¹⁴⁹ where it is denormal). A NaN in gives NaN;
   where Σ|a[i]·b[i]| leaves the range of float the answer may be NaN or infinite.
   dot_i8: exact for every value, −128 included; n ≤ SIMD_I8_MAX. */
struct simd_kernels {
    const char *name;
    float (*dot_f32)(const float *a, const float *b, size_t n);
    int32_t (*dot_i8)(const int8_t *a, const int8_t *b, size_t n);
};

/* The kernels this CPU and its operating system can run, widest first, "scalar" always last; NULL past the
   end. */
const struct simd_kernels *simd_available(size_t i);

/* The kernels to use for the life of the process. forced is what LOCI_SIMD says: a name out of
   simd_available(), or NULL, "" or "auto" for the widest. NULL if there is no such name here; why then says
   so and names those there are. */
const struct simd_kernels *simd_choose(const char *forced, char *why, size_t why_size);

#endif
