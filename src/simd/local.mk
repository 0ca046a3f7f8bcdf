# Vector kernels and the choice between them.
noinst_LIBRARIES += src/simd/libsimd.a
src_simd_libsimd_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_simd) $(see_base)
src_simd_libsimd_a_SOURCES =
