# Vector kernels and the choice between them. The wide twins are written by hand; what is left shall stay
# scalar, above all the oracle.
noinst_LIBRARIES += src/simd/libsimd.a
src_simd_libsimd_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_simd) $(see_base)
src_simd_libsimd_a_CFLAGS = $(AM_CFLAGS) -fno-tree-vectorize
src_simd_libsimd_a_SOURCES = \
    src/simd/simd.c src/simd/simd.h src/simd/simd_impl.h \
    src/simd/simd_avx2.c \
    src/simd/simd_avx512.c \
    src/simd/simd_neon.c \
    src/simd/simd_scalar.c \
    src/simd/gelu.h src/simd/gelu_avx2.c src/simd/gelu_avx512.c src/simd/gelu_scalar.c \
    src/simd/gemm.h \
    src/simd/gemm_avx2.c src/simd/rows_avx2.c \
    src/simd/gemm_avx512.c src/simd/rows_avx512.c \
    src/simd/gemm_scalar.c src/simd/rows_scalar.c src/simd/half.h \
    src/simd/scan.h \
    src/simd/scan_avx2.c src/simd/scan_avx512.c src/simd/scan_neon.c src/simd/scan_scalar.c
