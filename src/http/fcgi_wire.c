/* Records of FastCGI; see fcgi_wire.h and the FastCGI specification 1.0, section 3. */
#include "fcgi_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

#define HEAD 8
#define PIECE 65528 /* of content in a record: a multiple of 8 needs no padding */

enum { BEGIN = 1, ABORT = 2, END = 3, PARAMS = 4, STDIN = 5, STDOUT = 6 };
enum { RESPONDER = 1, KEEP_CONN = 1 };

static void fcgi_wire_grow(unsigned char **p, size_t *cap, size_t want)
{
    size_t size = *cap ? *cap : 1024;

    while (size < want)
        size *= 2;
    if (size == *cap)
        return;
    *p = realloc(*p, size);
    assert(*p);
    *cap = size;
}

void fcgi_wire_done(struct fcgi_wire *w)
{
    free(w->in);
    free(w->out);
    free(w->params);
    *w = (struct fcgi_wire){0};
}

/* ---- reading */

static enum fcgi_state fcgi_wire_begin(struct fcgi_wire *w, uint16_t request, const unsigned char *p, size_t n)
{
    if (w->begun || n < 8 || p[0] != 0 || p[1] != RESPONDER)
        return FCGI_BROKEN;
    w->begun = true;
    w->request = request;
    w->keeps = p[2] & KEEP_CONN;
    return FCGI_MORE;
}

static enum fcgi_state fcgi_wire_read_params(struct fcgi_wire *w, const unsigned char *p, size_t n)
{
    if (!n) {
        w->params_end = true;
        return FCGI_MORE;
    }
    if (w->params_end || w->n_params + n > FCGI_WIRE_MAX)
        return FCGI_BROKEN;
    fcgi_wire_grow(&w->params, &w->cap_params, w->n_params + n);
    memcpy(w->params + w->n_params, p, n);
    w->n_params += n;
    return FCGI_MORE;
}

static enum fcgi_state fcgi_wire_record(struct fcgi_wire *w, int type, uint16_t request, const unsigned char *p, size_t n)
{
    if (type == BEGIN)
        return fcgi_wire_begin(w, request, p, n);
    if (!w->begun || request != w->request || type == ABORT)
        return FCGI_BROKEN;
    if (type == PARAMS)
        return fcgi_wire_read_params(w, p, n);
    if (type == STDIN && !n)
        w->body_end = true;
    return w->body_end && w->params_end ? FCGI_WHOLE : FCGI_MORE;
}

/* Records that are complete; how many bytes they had. */
static size_t records(struct fcgi_wire *w, enum fcgi_state *state)
{
    size_t at = 0;

    while (*state == FCGI_MORE && w->n_in - at >= HEAD) {
        const unsigned char *h = w->in + at;
        size_t n = (size_t)h[4] << 8 | h[5], whole = HEAD + n + h[6];

        if (h[0] != 1) {
            *state = FCGI_BROKEN;
            break;
        }
        if (w->n_in - at < whole)
            break;
        *state = fcgi_wire_record(w, h[1], (uint16_t)(h[2] << 8 | h[3]), h + HEAD, n);
        at += whole;
    }
    return at;
}

enum fcgi_state fcgi_wire_take(struct fcgi_wire *w, const void *p, size_t n)
{
    enum fcgi_state state = FCGI_MORE;
    size_t taken;

    if (w->n_in + n > 2 * FCGI_WIRE_MAX)
        return FCGI_BROKEN;
    fcgi_wire_grow(&w->in, &w->cap_in, w->n_in + n + 1);
    memcpy(w->in + w->n_in, p, n);
    w->n_in += n;
    taken = records(w, &state);
    memmove(w->in, w->in + taken, w->n_in - taken);
    w->n_in -= taken;
    return state;
}

/* A length takes one byte, or four with the highest bit set. */
static bool take_length(const unsigned char **p, const unsigned char *end, size_t *n)
{
    if (*p == end)
        return false;
    if (!(**p & 0x80)) {
        *n = *(*p)++;
        return true;
    }
    if (end - *p < 4)
        return false;
    *n = (size_t)((*p)[0] & 0x7f) << 24 | (size_t)(*p)[1] << 16 | (size_t)(*p)[2] << 8 | (*p)[3];
    *p += 4;
    return true;
}

struct fcgi_pair *fcgi_wire_params(const struct fcgi_wire *w, struct arena *a)
{
    const unsigned char *p = w->params, *end = p ? p + w->n_params : p;
    struct fcgi_pair *first = NULL;
    size_t name, value;

    while (p < end) {
        struct fcgi_pair *one = ARENA_NEW(a, struct fcgi_pair);

        if (!take_length(&p, end, &name) || !take_length(&p, end, &value) || name > (size_t)(end - p) ||
            value > (size_t)(end - p) - name)
            return NULL;
        one->name = arena_strndup(a, (const char *)p, name);
        one->value = arena_strndup(a, (const char *)p + name, value);
        one->next = first;
        first = one;
        p += name + value;
    }
    return first;
}

/* ---- writing */

static void fcgi_wire_put(struct fcgi_wire *w, int type, const void *p, size_t n)
{
    unsigned char head[HEAD] = {1, (unsigned char)type, (unsigned char)(w->request >> 8), (unsigned char)w->request,
                                (unsigned char)(n >> 8), (unsigned char)n};

    if (w->sent) {
        memmove(w->out, w->out + w->sent, w->n_out - w->sent);
        w->n_out -= w->sent;
        w->sent = 0;
    }
    fcgi_wire_grow(&w->out, &w->cap_out, w->n_out + HEAD + n);
    memcpy(w->out + w->n_out, head, HEAD);
    if (n)
        memcpy(w->out + w->n_out + HEAD, p, n);
    w->n_out += HEAD + n;
}

void fcgi_wire_write(struct fcgi_wire *w, const void *p, size_t n)
{
    const char *at = p;

    for (size_t some; n; at += some, n -= some) {
        some = n < PIECE ? n : PIECE;
        fcgi_wire_put(w, STDOUT, at, some);
    }
}

void fcgi_wire_end(struct fcgi_wire *w)
{
    static const unsigned char ENDED[8] = {0};

    fcgi_wire_put(w, STDOUT, "", 0);
    fcgi_wire_put(w, END, ENDED, sizeof ENDED);
}
