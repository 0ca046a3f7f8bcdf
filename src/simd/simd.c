/* Which kernels this machine can run, and which of them the process shall use. */
#include "simd.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "simd_impl.h"

struct candidate {
    const struct simd_kernels *kernels;
    bool (*runs)(void); /* asks the CPU and, through XGETBV, whether the system saves its registers */
};

static bool runs_always(void)
{
    return true;
}

#ifdef __x86_64__
static bool runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool runs_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vnni");
}
#endif

/* Widest first. */
static const struct candidate CANDIDATES[] = {
#ifdef __x86_64__
    { &simd_avx512, runs_avx512 },
    { &simd_avx2, runs_avx2 },
#endif
#ifdef __aarch64__
    { &simd_neon, runs_always },
#endif
    { &simd_scalar, runs_always },
};

const struct simd_kernels *simd_available(size_t i)
{
    for (size_t c = 0; c < sizeof CANDIDATES / sizeof CANDIDATES[0]; c++)
        if (CANDIDATES[c].runs() && i-- == 0)
            return CANDIDATES[c].kernels;
    return NULL;
}

static void simd_explain(const char *forced, char *why, size_t size)
{
    const struct simd_kernels *k;
    char names[64] = "";
    size_t used = 0;

    for (size_t i = 0; (k = simd_available(i)) != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", k->name);
    snprintf(why, size,
             "LOCI_SIMD=%.32s: not available on this machine; available: %s (or unset it for the first)",
             forced, names);
}

const struct simd_kernels *simd_choose(const char *forced, char *why, size_t why_size)
{
    const struct simd_kernels *k;

    if (!forced || !*forced || strcmp(forced, "auto") == 0)
        return simd_available(0);
    for (size_t i = 0; (k = simd_available(i)) != NULL; i++)
        if (strcmp(k->name, forced) == 0)
            return k;
    simd_explain(forced, why, why_size);
    return NULL;
}
