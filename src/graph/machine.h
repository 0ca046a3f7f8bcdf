/* What this process runs on, for people who look after it. */
#ifndef LOCI_MACHINE_H
#define LOCI_MACHINE_H

#include <stdbool.h>

#include "ctx.h"
#include "list.h"

struct machine {
    const char *loci, *compiler, *host;
    const char *redis;             /* its version; NULL: it is away */
    const char *kernels;           /* the vector kernels in use: "avx2" */
    bool kernels_forced;           /* by LOCI_SIMD, not by what the processor has */
    struct strs kernels_available; /* widest first */
};

struct machine machine_describe(struct ctx *c);

#endif
