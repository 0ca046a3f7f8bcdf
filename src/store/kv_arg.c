/* Arguments of Redis commands; see kv.h. */
#include <stdarg.h>
#include <string.h>

#include "kv.h"

struct kv_arg kv_text(const char *s)
{
    return (struct kv_arg){s, strlen(s)};
}

struct kv_arg kv_bytes(struct bytes b)
{
    return (struct kv_arg){b.p, b.n};
}

struct kv_arg kv_i64(struct ctx *c, int64_t v)
{
    return kv_fmt(c, "%lld", (long long)v);
}

struct kv_arg kv_fmt(struct ctx *c, const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = arena_vprintf(c->arena, fmt, ap);
    va_end(ap);
    return kv_text(s);
}
