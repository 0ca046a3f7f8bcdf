/* Versions and vector kernels; see machine.h. */
#include "machine.h"

#include <stdlib.h>

#include "app.h"
#include "simd.h"
#include "str.h"

struct machine machine_describe(struct ctx *c)
{
    struct machine m = {.loci = LOCI_VERSION, .host = c->app->host ? c->app->host : ""};
    const char *forced = getenv("LOCI_SIMD");
    size_t n = 0;

#ifdef __clang__
    m.compiler = "clang " __clang_version__;
#else
    m.compiler = "gcc " __VERSION__;
#endif
    while (simd_available(n))
        n++;
    m.kernels_available.v = ARENA_ARRAY(c->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        m.kernels_available.v[m.kernels_available.n++] = simd_available(i)->name;
    m.kernels = c->app->simd ? c->app->simd->name : simd_available(0)->name;
    m.kernels_forced = !str_empty(forced) && !str_eq(forced, "auto");
    return m;
}
