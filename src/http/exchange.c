/* Reading requests and writing answers; see exchange.h. */
#include "exchange.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void exchange_begin(struct exchange *x, struct arena *a, const struct exchange_io *io, void *carrier)
{
    const char *uri, *mark, *length;

    *x = (struct exchange){.io = io, .carrier = carrier, .arena = a, .status = 200, .length = -1};
    buf_init(&x->body, a, 1024);
    x->method = arena_strdup(a, io->param(x, "REQUEST_METHOD"));
    if (!x->method)
        x->method = "";
    uri = io->param(x, "REQUEST_URI");
    if (!uri || *uri != '/')
        uri = "/";
    mark = uri + strcspn(uri, "?#");
    x->path = arena_strndup(a, uri, (size_t)(mark - uri));
    x->query = *mark == '?' ? arena_strndup(a, mark + 1, strcspn(mark + 1, "#")) : "";
    x->media = arena_strdup(a, io->param(x, "CONTENT_TYPE"));
    length = io->param(x, "CONTENT_LENGTH");
    if (!str_empty(length) && !str_to_i64(length, &x->length))
        x->length = -1;
}

const char *exchange_header(struct exchange *x, const char *name)
{
    char var[80] = "HTTP_";
    size_t n = strlen(name);

    assert(n + 6 <= sizeof var);
    for (size_t i = 0; i < n; i++)
        var[5 + i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
    var[5 + n] = 0;
    return arena_strdup(x->arena, x->io->param(x, var));
}

const char *exchange_cookie(struct exchange *x, const char *name)
{
    const char *p = x->io->param(x, "HTTP_COOKIE");
    size_t n = strlen(name);

    while (p && *p) {
        size_t len;

        p += strspn(p, "; ");
        len = strcspn(p, ";");
        if (len > n && strncmp(p, name, n) == 0 && p[n] == '=')
            return arena_strndup(x->arena, p + n + 1, len - n - 1);
        p += len;
    }
    return NULL;
}

bool exchange_media_is(const struct exchange *x, const char *want)
{
    size_t n = strlen(want);

    return x->media && strncasecmp(x->media, want, n) == 0 && (!x->media[n] || x->media[n] == ';' || x->media[n] == ' ');
}

const char *exchange_media_among(const struct exchange *x, const char *words)
{
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        const char *word;

        n = strcspn(words, " ");
        word = arena_strndup(x->arena, words, n);
        if (exchange_media_is(x, word))
            return word;
    }
    return NULL;
}

static err too_large(struct ctx *c, size_t max)
{
    return fail(c, ERR_TOO_LARGE, "the body is larger than %zu bytes", max);
}

static ssize_t exchange_take(struct exchange *x, char *p, size_t n)
{
    ssize_t got = x->io->read(x, p, n);

    if (got > 0)
        x->body_read += got;
    return got;
}

err exchange_body(struct ctx *c, struct exchange *x, size_t max, struct bytes *out)
{
    struct buf b;
    char piece[8192];
    ssize_t got = 0;

    if (x->length > (int64_t)max)
        return too_large(c, max);
    buf_init(&b, x->arena, x->length > 0 ? (size_t)x->length + 1 : 256);
    while ((x->length < 0 || x->body_read < x->length) && (got = exchange_take(x, piece, sizeof piece)) > 0) {
        if (b.len + (size_t)got > max)
            return too_large(c, max);
        buf_add(&b, piece, (size_t)got);
    }
    if (got < 0 || (x->length >= 0 && x->body_read < x->length))
        return fail(c, ERR_BAD_REQUEST, "the body is shorter than its Content-Length");
    *out = (struct bytes){buf_str(&b), b.len};
    return ERR_OK;
}

static bool exchange_write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

err exchange_body_to(struct ctx *c, struct exchange *x, int fd, size_t max, size_t *n)
{
    char piece[65536];
    ssize_t got = 0;

    if (x->length > (int64_t)max)
        return too_large(c, max);
    *n = 0;
    while ((x->length < 0 || x->body_read < x->length) && (got = exchange_take(x, piece, sizeof piece)) > 0) {
        *n += (size_t)got;
        if (*n > max)
            return too_large(c, max);
        if (!exchange_write_all(fd, piece, (size_t)got))
            return fail(c, ERR_UNAVAILABLE, "the upload cannot be stored: the server's disk is full");
    }
    if (got < 0 || (x->length >= 0 && x->body_read < x->length))
        return fail(c, ERR_BAD_REQUEST, "the body is shorter than its Content-Length");
    return ERR_OK;
}

void exchange_drain(struct exchange *x)
{
    char piece[8192];

    while (x->body_read < x->length && exchange_take(x, piece, sizeof piece) > 0)
        ;
}

static int hex_digit(char ch)
{
    return isdigit((unsigned char)ch) ? ch - '0' : isxdigit((unsigned char)ch) ? tolower((unsigned char)ch) - 'a' + 10 : -1;
}

const char *percent_decode(struct arena *a, const char *s, size_t n, bool plus_is_space)
{
    char *out = arena_alloc(a, n + 1), *o = out;

    for (size_t i = 0; i < n; i++) {
        int hi, lo;

        if (s[i] != '%') {
            *o++ = plus_is_space && s[i] == '+' ? ' ' : s[i];
            continue;
        }
        if (n - i < 3)
            return NULL;
        hi = hex_digit(s[i + 1]);
        lo = hex_digit(s[i + 2]);
        if (hi < 0 || lo < 0 || (hi == 0 && lo == 0))
            return NULL;
        *o++ = (char)(hi << 4 | lo);
        i += 2;
    }
    return str_is_utf8(out, (size_t)(o - out)) ? out : NULL;
}

void exchange_add_pair(struct arena *a, struct json *obj, const char *name, const char *value)
{
    struct json *m = json_get(obj, name), *first;

    if (!m) {
        json_set_str(a, obj, name, value);
        return;
    }
    if (m->type != JSON_ARR) {
        first = json_str(a, m->s);
        m->type = JSON_ARR;
        m->first = m->last = first;
        m->len = 1;
    }
    json_push(m, json_str(a, value));
}

err exchange_pairs(struct ctx *c, const char *text, size_t n, const char *what, struct json **out)
{
    const char *p = text, *end = text + n;
    struct json *obj = json_obj(c->arena);
    size_t count = 0;

    while (p < end) {
        const char *amp = memchr(p, '&', (size_t)(end - p)), *stop = amp ? amp : end;
        const char *eq = memchr(p, '=', (size_t)(stop - p)), *name_end = eq ? eq : stop;
        const char *name = percent_decode(c->arena, p, (size_t)(name_end - p), true);
        const char *value = eq ? percent_decode(c->arena, eq + 1, (size_t)(stop - eq - 1), true) : "";

        if (!name || !value)
            return fail(c, ERR_BAD_REQUEST, "%s has an invalid percent-escape or is not UTF-8", what);
        if (++count > 1000)
            return fail(c, ERR_BAD_REQUEST, "%s has more than 1000 parts", what);
        if (*name)
            exchange_add_pair(c->arena, obj, name, value);
        p = stop + 1;
    }
    *out = obj;
    return ERR_OK;
}

void exchange_set(struct exchange *x, const char *name, const char *value)
{
    for (const char *p = value; *p; p++)
        assert((unsigned char)*p >= 0x20 && *p != 0x7f);
    assert(x->n_headers < EXCHANGE_HEADERS);
    x->headers[x->n_headers++] = (struct exchange_header){name, value};
}

void exchange_set_int(struct exchange *x, const char *name, int64_t value)
{
    exchange_set(x, name, arena_printf(x->arena, "%lld", (long long)value));
}

static void send_head(struct exchange *x, int64_t length)
{
    struct buf head;

    buf_init(&head, x->arena, 512);
    buf_printf(&head, "Status: %d %s\r\n", x->status, http_reason(x->status));
    for (size_t i = 0; i < x->n_headers; i++) {
        buf_puts(&head, x->headers[i].name);
        buf_puts(&head, ": ");
        buf_puts(&head, x->headers[i].value);
        buf_puts(&head, "\r\n");
    }
    if (length >= 0 && x->status != 204 && x->status != 304)
        buf_printf(&head, "Content-Length: %lld\r\n", (long long)length);
    buf_puts(&head, "\r\n");
    x->head_sent = true;
    x->broken = !x->io->write(x, head.data, head.len);
}

void exchange_share(struct exchange *x, char *p, size_t n)
{
    x->body.data = p; /* full: whatever is added moves it into the arena first */
    x->body.len = x->body.cap = n;
}

void exchange_send(struct exchange *x)
{
    if (x->head_sent)
        return;
    exchange_drain(x);
    send_head(x, (int64_t)x->body.len);
    if (x->broken || x->status == 204 || x->status == 304 || strcmp(x->method, "HEAD") == 0)
        return;
    x->broken = !x->io->write(x, x->body.data, x->body.len);
    x->sent = x->body.len;
}

bool exchange_stream(struct exchange *x, const char *p, size_t n)
{
    if (!x->head_sent) {
        exchange_drain(x);
        send_head(x, -1);
    }
    if (x->broken || strcmp(x->method, "HEAD") == 0)
        return !x->broken;
    x->broken = !x->io->write(x, p, n);
    x->sent += n;
    return !x->broken;
}

void exchange_flush(struct exchange *x)
{
    if (x->io->flush && !x->broken)
        x->io->flush(x);
}

const char *http_reason(int status)
{
    static const struct { int status; const char *reason; } REASONS[] = {
        {200, "OK"}, {201, "Created"}, {202, "Accepted"}, {204, "No Content"}, {302, "Found"}, {303, "See Other"},
        {304, "Not Modified"}, {400, "Bad Request"}, {401, "Unauthorized"}, {403, "Forbidden"}, {404, "Not Found"},
        {405, "Method Not Allowed"}, {409, "Conflict"}, {412, "Precondition Failed"}, {413, "Content Too Large"},
        {415, "Unsupported Media Type"}, {422, "Unprocessable Content"}, {428, "Precondition Required"},
        {429, "Too Many Requests"}, {500, "Internal Server Error"}, {502, "Bad Gateway"}, {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
    };

    for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++)
        if (REASONS[i].status == status)
            return REASONS[i].reason;
    return "Status";
}
