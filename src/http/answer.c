/* Envelope and problem; see answer.h. */
#include "answer.h"

#include <string.h>

static void write_body(struct exchange *x, const char *media, const struct json *body)
{
    exchange_set(x, "Content-Type", media);
    json_write(&x->body, body, false);
}

void answer_data(struct exchange *x, int status, const struct json *data, const struct json *meta)
{
    struct json *body = json_obj(x->arena);

    x->status = status;
    if (status == 204)
        return;
    json_set_bool(x->arena, body, "success", true);
    json_set(x->arena, body, "data", data ? arena_memdup(x->arena, data, sizeof *data) : json_new(x->arena, JSON_NULL));
    if (meta)
        json_set(x->arena, body, "meta", arena_memdup(x->arena, meta, sizeof *meta));
    write_body(x, "application/json", body);
}

static const char *sentence(struct ctx *c, err e)
{
    if (e == ERR_INTERNAL || !c->fault.message)
        return e == ERR_INTERNAL ? "internal error; the log names the cause under this request id" : err_info(e)->meaning;
    return c->fault.message;
}

static void field_list(struct ctx *c, struct json *body)
{
    struct json *errors;

    if (!c->fault.fields)
        return;
    errors = json_set(c->arena, body, "errors", json_arr(c->arena));
    for (const struct field_error *f = c->fault.fields; f; f = f->next) {
        json_push(errors, json_obj(c->arena));
        json_set_str(c->arena, errors->last, "pointer", f->pointer);
        json_set_str(c->arena, errors->last, "detail", f->detail);
    }
}

void answer_problem(struct ctx *c, struct exchange *x, err e)
{
    const struct err_info *info = err_info(e);
    struct json *body;

    arena_excuse(c->arena);
    body = json_obj(c->arena);
    x->status = info->http;
    json_set_bool(c->arena, body, "success", false);
    json_set_str(c->arena, body, "error", sentence(c, e));
    json_set_str(c->arena, body, "code", info->slug);
    json_set_str(c->arena, body, "type", "about:blank");
    json_set_str(c->arena, body, "title", http_reason(info->http));
    json_set_int(c->arena, body, "status", info->http);
    json_set_str(c->arena, body, "detail", sentence(c, e));
    field_list(c, body);
    if (c->fault.reason)
        json_set_str(c->arena, body, "reason", c->fault.reason);
    if (e == ERR_PRECONDITION && (c->fault.current_version || c->fault.current_value))
        json_set_int(c->arena, body, "current_version", c->fault.current_version);
    if ((e == ERR_PRECONDITION || e == ERR_CONFLICT) && c->fault.current_value)
        json_set(c->arena, body, "current_value", arena_memdup(c->arena, c->fault.current_value, sizeof(struct json)));
    json_set_str(c->arena, body, "request_id", c->request_id);
    if (e == ERR_UNAUTHORIZED)
        exchange_set(x, "WWW-Authenticate", "Bearer realm=\"loci\"");
    if (e == ERR_UNAVAILABLE || e == ERR_RATE)
        exchange_set_int(x, "Retry-After", c->fault.retry_after_s > 0 ? c->fault.retry_after_s : 2);
    write_body(x, "application/problem+json", body);
}

void answer_common(struct ctx *c, struct exchange *x)
{
    exchange_set(x, "X-Request-Id", c->request_id);
    exchange_set(x, "X-Content-Type-Options", "nosniff");
    if (c->who)
        exchange_set(x, "Cache-Control", "no-store");
}
