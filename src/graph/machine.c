/* Versions and vector kernels; see machine.h. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "kv.h"
#include "simd.h"
#include "str.h"

/* Of the lines that Redis says about itself. */
static const char *redis_version(struct ctx *c)
{
    static const char NAME[] = "redis_version:";
    struct kv_reply r;
    const char *at;

    if (kv_cmd(c, &r, kv_text("INFO"), kv_text("server")) != ERR_OK) {
        ctx_forgive(c);
        return NULL;
    }
    at = r.type == KV_TEXT ? strstr(r.s, NAME) : NULL;
    return at ? arena_strndup(c->arena, at + sizeof NAME - 1, strcspn(at + sizeof NAME - 1, "\r\n")) : NULL;
}

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
    m.redis = redis_version(c);
    while (simd_available(n))
        n++;
    m.kernels_available.v = ARENA_ARRAY(c->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        m.kernels_available.v[m.kernels_available.n++] = simd_available(i)->name;
    m.kernels = c->app->simd ? c->app->simd->name : simd_available(0)->name;
    m.kernels_forced = !str_empty(forced) && !str_eq(forced, "auto");
    return m;
}
