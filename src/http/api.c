/* Serves operations: who, whether, with what, and the answer with its headers. */
#include "api.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "answer.h"
#include "api_args.h"
#include "app.h"
#include "call.h"
#include "config.h"
#include "csrf.h"
#include "openapi.h"
#include "replay.h"
#include "upload.h"

static void rate_headers(struct exchange *x, const struct rate_state *rate)
{
    if (!rate->known)
        return;
    exchange_set_int(x, "RateLimit-Limit", rate->limit);
    exchange_set_int(x, "RateLimit-Remaining", rate->remaining);
    exchange_set_int(x, "RateLimit-Reset", rate->reset_s);
}

static bool is_safe(const struct exchange *x)
{
    return strcmp(x->method, "GET") == 0 || strcmp(x->method, "HEAD") == 0;
}

/* A browser sends its cookie by itself, so a change must also carry what only our own pages know. */
static err check_csrf(struct ctx *c, struct exchange *x)
{
    if (is_safe(x) || csrf_fits(exchange_header(x, "X-CSRF-Token"), c->who->csrf))
        return ERR_OK;
    return fail(c, ERR_FORBIDDEN, "a change made with a browser session requires the header X-CSRF-Token");
}

err api_authenticate(struct ctx *c, struct exchange *x)
{
    const char *auth = exchange_header(x, "Authorization"), *cookie;
    struct rate_state rate = {0};
    err e;

    if (auth) {
        if (strncasecmp(auth, "Bearer ", 7) != 0)
            return fail(c, ERR_UNAUTHORIZED, "send Authorization: Bearer <token>");
        e = access_by_token(c, auth + 7 + strspn(auth + 7, " "), &rate);
        rate_headers(x, &rate);
        return e;
    }
    cookie = exchange_cookie(x, SESSION_COOKIE);
    if (!cookie)
        return fail(c, ERR_UNAUTHORIZED, "send Authorization: Bearer <token>");
    e = access_by_session(c, cookie, &rate);
    rate_headers(x, &rate);
    return e == ERR_OK ? check_csrf(c, x) : e;
}

err api_authenticate_again(struct ctx *c, struct exchange *x)
{
    const char *auth = exchange_header(x, "Authorization"), *cookie = exchange_cookie(x, SESSION_COOKIE);
    struct rate_state rate;

    if (auth && strncasecmp(auth, "Bearer ", 7) == 0)
        return access_again_by_token(c, auth + 7 + strspn(auth + 7, " "));
    return access_by_session(c, cookie ? cookie : "", &rate);
}

static err if_match(struct ctx *c, struct exchange *x)
{
    const char *h = exchange_header(x, "If-Match");
    size_t n = h ? strlen(h) : 0;

    if (!h)
        return ERR_OK;
    if (strcmp(h, "*") == 0) {
        c->if_match = -1; /* any version: the thing only has to exist */
        return ERR_OK;
    }
    if (str_starts(h, "W/"))
        return fail(c, ERR_PRECONDITION, "If-Match must be the strong ETag of an answer, not a weak one");
    if (n < 3 || n > 22 || h[0] != '"' || h[n - 1] != '"' ||
        !str_to_i64(arena_strndup(c->arena, h + 1, n - 2), &c->if_match) || c->if_match < 1)
        return fail(c, ERR_BAD_REQUEST, "If-Match must be the ETag of an answer, such as \"3\"");
    return ERR_OK;
}

static const char *etag(struct arena *a, int64_t version)
{
    return arena_printf(a, "\"%lld\"", (long long)version);
}

static bool not_modified(struct exchange *x, const char *tag)
{
    const char *h = exchange_header(x, "If-None-Match"), *at;

    if (!h || !is_safe(x))
        return false;
    at = strstr(h, tag);
    return strcmp(h, "*") == 0 || (at && (at == h || at[-1] == ' ' || at[-1] == ',' || at[-1] == '/'));
}

/* Statuses and headers that follow from the operation's flags. */
static void respond(struct ctx *c, struct exchange *x, const struct op *op, const struct call_result *r)
{
    int status = op->flags & OP_CREATES ? (r->was_there ? 200 : 201) : op->flags & OP_ACCEPTED ? 202 : op->flags & OP_NO_BODY ? 204 : 200;

    if (r->version) {
        const char *tag = etag(c->arena, r->version);

        exchange_set(x, "ETag", tag);
        if (not_modified(x, tag)) {
            x->status = 304;
            return;
        }
    }
    if (op->flags & OP_CREATES && !uuid_is_nil(r->id))
        exchange_set(x, "Location", arena_printf(c->arena, "%s/%s", op->made_at ? op->made_at : x->path, UUID_STR(r->id)));
    if (op->flags & OP_ACCEPTED)
        exchange_set(x, "Location", arena_printf(c->arena, "/api/v1/job_runs/%s", UUID_STR(r->id)));
    answer_data(x, status, r->data, r->meta);
}

struct stream {
    struct sink sink;
    struct ctx *c;
    struct exchange *x;
    const char *media;
};

static err stream_write(struct sink *s, const char *p, size_t n)
{
    struct stream *out = (struct stream *)s;

    if (!out->x->head_sent) {
        exchange_set(out->x, "Content-Type", s->media ? s->media : out->media);
        if (s->filename)
            exchange_set(out->x, "Content-Disposition",
                         arena_printf(out->c->arena, "attachment; filename=\"%s\"", s->filename));
        answer_common(out->c, out->x);
    }
    return exchange_stream(out->x, p, n) ? ERR_OK : fail(out->c, ERR_UNAVAILABLE, "the client closed the connection");
}

static err run_stream(struct ctx *c, struct exchange *x, const struct op *op, const struct json *args)
{
    struct stream out = {{.write = stream_write}, c, x, op->media};
    err e = call_stream(c, op, args, &out.sink);

    if (e == ERR_OK && !x->head_sent)
        return stream_write(&out.sink, "", 0);
    if (e != ERR_OK && x->head_sent) {
        x->broken = true; /* too late for a status: the log has the reason */
        return ERR_OK;
    }
    return e;
}

/* What one request asks to be done. */
struct work {
    const struct op *op;
    struct json *args;
    struct bytes body; /* of an upload: its digest, which stands for it where requests are compared */
    struct upload file;
};

static err digest_of(struct ctx *c, int fd, struct bytes *out)
{
    crypto_hash_sha256_state h;
    unsigned char piece[65536], *digest = arena_alloc(c->arena, crypto_hash_sha256_BYTES);
    ssize_t n;

    crypto_hash_sha256_init(&h);
    if (lseek(fd, 0, SEEK_SET) < 0)
        return fail(c, ERR_INTERNAL, "the upload cannot be read");
    while ((n = read(fd, piece, sizeof piece)) > 0)
        crypto_hash_sha256_update(&h, piece, (size_t)n);
    if (n < 0)
        return fail(c, ERR_INTERNAL, "the upload cannot be read");
    crypto_hash_sha256_final(&h, digest);
    *out = (struct bytes){digest, crypto_hash_sha256_BYTES};
    return ERR_OK;
}

/* A form: its fields are arguments, as those of the query string are. */
static err keep_form(struct ctx *c, struct exchange *x, struct work *w)
{
    struct upload *file;
    struct json *form;

    TRY(upload_form(c, x, &form, &file));
    for (const struct json *m = form->first; m; m = m->next) {
        const struct field *f = field_find(w->op->in, m->key);

        if (!f || op_in_path(w->op, m->key) || m->type != JSON_STR)
            return fail_field(c, arena_printf(c->arena, "/%s", m->key), "unknown field '%s'%s", m->key, field_hint(c->arena, w->op->in,
                m->key));
        json_put(c->arena, w->args, m->key, field_from_text(c->arena, f, m->s));
    }
    if (!file)
        return fail_field(c, "/file", "the form has no file");
    w->file = *file;
    return ERR_OK;
}

static err digest_of_file(struct ctx *c, const char *path, struct bytes *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    err e = fd < 0 ? fail(c, ERR_INTERNAL, "the upload cannot be read") : digest_of(c, fd, out);

    if (fd >= 0)
        close(fd);
    return e;
}

static err keep_upload(struct ctx *c, struct exchange *x, struct work *w)
{
    const char *path;
    int fd;
    err e;

    if (str_eq(exchange_media_among(x, w->op->media), "multipart/form-data")) {
        TRY(keep_form(c, x, w));
        return exchange_header(x, "Idempotency-Key") ? digest_of_file(c, w->file.path, &w->body) : ERR_OK;
    }
    TRY(upload_open(c, &path, &fd));
    w->file = (struct upload){.path = path, .media = exchange_media_among(x, w->op->media)};
    e = exchange_body_to(c, x, fd, (size_t)c->app->conf->http_max_upload, &w->file.size);
    if (e == ERR_OK && exchange_header(x, "Idempotency-Key"))
        e = digest_of(c, fd, &w->body);
    close(fd);
    return e;
}

static err api_run_once(struct ctx *c, struct exchange *x, const struct work *w, struct call_result *r)
{
    if (w->op->flags & OP_UPLOAD)
        TRY(call_take(c, w->op, w->args, &w->file, r));
    else
        TRY(call_run(c, w->op, w->args, r));
    respond(c, x, w->op, r);
    return ERR_OK;
}

static const char *sent_header(const struct exchange *x, const char *name)
{
    for (size_t i = 0; i < x->n_headers; i++)
        if (strcmp(x->headers[i].name, name) == 0)
            return x->headers[i].value;
    return NULL;
}

static void answer_again(struct exchange *x, const struct replay_answer *old)
{
    x->status = old->status;
    if (old->etag)
        exchange_set(x, "ETag", old->etag);
    if (old->location)
        exchange_set(x, "Location", old->location);
    if (old->body.n)
        exchange_set(x, "Content-Type", old->status < 300 ? "application/json" : "application/problem+json");
    exchange_set(x, "Idempotency-Replayed", "true");
    buf_add(&x->body, old->body.p, old->body.n);
}

/* A new token is shown once: its answer is not kept. */
static bool shows_secret(const struct op *op)
{
    for (const struct field *f = op->out; f && f->type != FT_END; f++)
        if (f->flags & FIELD_SECRET)
            return true;
    return false;
}

/* What makes two requests under one key the same: the query string counts as much as the body. */
static struct bytes api_asked(struct ctx *c, const struct exchange *x, struct bytes body)
{
    struct buf b;

    if (!*x->query)
        return body;
    buf_init(&b, c->arena, strlen(x->query) + 1 + body.n);
    buf_add(&b, x->query, strlen(x->query) + 1);
    buf_add(&b, body.p, body.n);
    return (struct bytes){b.data, b.len};
}

static struct replay_answer api_answer_of(const struct exchange *x, const struct op *op)
{
    return (struct replay_answer){.status = x->status, .body = {x->body.data, x->body.len}, .etag = sent_header(x, "ETag"),
                                  .location = sent_header(x, "Location"), .is_secret = shows_secret(op)};
}

static void run_and_answer(struct ctx *c, struct exchange *x, const struct work *w)
{
    struct call_result r;
    err e = api_run_once(c, x, w, &r);

    if (e != ERR_OK)
        answer_problem(c, x, e);
}

static err run_in_portions(struct ctx *c, struct exchange *x, const struct work *w, const char *key)
{
    struct replay own;
    struct replay_answer *old, answer;

    TRY(replay_begin(c, x->method, x->path, key, api_asked(c, x, w->body), !(w->op->flags & OP_ONCE), &own, &old));
    if (old) {
        answer_again(x, old);
        return ERR_OK;
    }
    run_and_answer(c, x, w);
    answer = api_answer_of(x, w->op);
    replay_finish(c, &own, &answer);
    return ERR_OK;
}

/* What a try that is not saved has left. */
static void unanswer(struct ctx *c, struct exchange *x, const struct ctx *before, size_t n_headers)
{
    c->access = before->access;
    c->if_match = before->if_match;
    x->n_headers = n_headers;
    x->body.len = 0;
}

/* With Idempotency-Key: the first answer is kept and given again. */
static err run_with_key(struct ctx *c, struct exchange *x, const struct work *w, const char *key)
{
    struct replay own = {0};
    struct replay_answer *old, answer;
    struct ctx before = *c;
    size_t n_headers = x->n_headers;
    bool again;
    err e;

    if (w->op->flags & OP_PORTIONS)
        return run_in_portions(c, x, w, key);
    for (;;) {
        TRY(replay_hold(c, x->method, x->path, key, api_asked(c, x, w->body), &own, &old));
        if (old) {
            answer_again(x, old);
            return ERR_OK;
        }
        run_and_answer(c, x, w);
        answer = api_answer_of(x, w->op);
        e = replay_settle(c, &own, &answer, &again);
        if (e == ERR_OK && !again)
            return ERR_OK;
        unanswer(c, x, &before, n_headers);
        if (!again)
            return e;
        ctx_forgive(c);
    }
}

static err api_run(struct ctx *c, struct exchange *x, const struct op *op)
{
    const char *key = strcmp(op->method, "POST") == 0 ? exchange_header(x, "Idempotency-Key") : NULL;
    struct work w = {.op = op};
    struct call_result r;

    TRY(api_authenticate(c, x));
    TRY(call_permit(c, op));
    TRY(if_match(c, x));
    TRY(api_args(c, x, op, &w.args, &w.body));
    if (op->flags & OP_STREAM)
        return run_stream(c, x, op, w.args);
    if (op->flags & OP_UPLOAD)
        TRY(keep_upload(c, x, &w));
    if (key && !(op->flags & OP_READONLY))
        return run_with_key(c, x, &w, key);
    return api_run_once(c, x, &w, &r);
}

static void api_serve(struct ctx *c, struct exchange *x, const struct route *route)
{
    err e = api_run(c, x, route->target);

    if (e != ERR_OK)
        answer_problem(c, x, e);
}

static void add_route(struct router *r, struct arena *a, const struct op *op, const char *path)
{
    struct route *route = ARENA_NEW(a, struct route);

    *route = (struct route){op->method, path, op->name, api_serve, op};
    router_add(r, route);
}

void api_add_routes(struct router *r, struct arena *a, const struct op_table *ops)
{
    for (size_t i = 0; i < ops->n; i++) {
        add_route(r, a, ops->ops[i], ops->ops[i]->path);
        if (ops->ops[i]->old_path)
            add_route(r, a, ops->ops[i], ops->ops[i]->old_path);
    }
}
