/* Keeping the first failure of a request. */
#include "err.h"

#include <assert.h>
#include <stdarg.h>

#include "ctx.h"

#define INFO_(code, http, rpc, slug, meaning) [code] = {http, rpc, slug, meaning},

const struct err_info *err_info(err code)
{
    static const struct err_info INFO[] = {ERR_LIST(INFO_)};

    assert(code < ERR_COUNT);
    return &INFO[code];
}

__attribute__((format(printf, 6, 0)))
static err err_keep(struct ctx *c, err code, const char *file, int line, const char *reason, const char *fmt, va_list ap)
{
    if (c->fault.code != ERR_OK)
        return code;
    c->fault.message = arena_vprintf(c->arena, fmt, ap);
    c->fault.reason = reason;
    c->fault.code = code;
    c->fault.file = file;
    c->fault.line = line;
    return code;
}

err err_fail(struct ctx *c, err code, const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    code = err_keep(c, code, file, line, NULL, fmt, ap);
    va_end(ap);
    return code;
}

err err_fail_reason(struct ctx *c, err code, const char *file, int line, const char *reason, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    code = err_keep(c, code, file, line, reason, fmt, ap);
    va_end(ap);
    return code;
}

err err_fail_field(struct ctx *c, const char *file, int line, const char *pointer, const char *fmt, ...)
{
    struct field_error *e = ARENA_NEW(c->arena, struct field_error);
    va_list ap;

    va_start(ap, fmt);
    e->detail = arena_vprintf(c->arena, fmt, ap);
    va_end(ap);
    e->pointer = arena_strdup(c->arena, pointer);
    if (c->fault.n_fields < FIELD_ERRORS_MAX) {
        if (!c->fault.fields_end)
            c->fault.fields_end = &c->fault.fields;
        *c->fault.fields_end = e;
        c->fault.fields_end = &e->next;
        c->fault.n_fields++;
    }
    return err_fail(c, ERR_INVALID, file, line, "%s", e->detail);
}
