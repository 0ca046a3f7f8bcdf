/* One HTTP request and its answer, whatever carries the bytes (FastCGI, CGI, a test). */
#ifndef LOCI_EXCHANGE_H
#define LOCI_EXCHANGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "ctx.h"
#include "json.h"
#include "str.h"

#define EXCHANGE_HEADERS 32
#define EXCHANGE_PARAMS 8

struct exchange;

/* The carrier. */
struct exchange_io {
    const char *(*param)(struct exchange *x, const char *name); /* CGI variable, or NULL */
    ssize_t (*read)(struct exchange *x, char *buf, size_t n);   /* body bytes; 0 at the end, -1 on failure */
    bool (*write)(struct exchange *x, const char *p, size_t n);
    void (*flush)(struct exchange *x); /* what was written goes out now; NULL: it did already */
};

struct exchange_header {
    const char *name, *value;
};

struct exchange {
    const struct exchange_io *io;
    void *carrier;
    struct arena *arena;
    const char *method, *path, *query, *media; /* path: as sent, still percent-encoded; query: "" when none */
    int64_t length;                            /* of the body; -1: not said */
    int64_t body_read;                         /* bytes of it taken so far */
    const char *params[EXCHANGE_PARAMS];       /* values of ":x" in the route's path, decoded */
    size_t n_params;
    int status;
    struct exchange_header headers[EXCHANGE_HEADERS];
    size_t n_headers;
    struct buf body;
    bool head_sent, broken;
    bool is_later; /* its carrier answers when there is something to say */
    size_t sent;   /* bytes of the answer's body */
};

/* Reads method, path and so on from the carrier. */
void exchange_begin(struct exchange *x, struct arena *a, const struct exchange_io *io, void *carrier);

/* Request headers by their usual name ("If-Match"); NULL when absent. Values are bounded by nginx and the carrier. */
const char *exchange_header(struct exchange *x, const char *name);
const char *exchange_cookie(struct exchange *x, const char *name);
/* Is the body of this media type, in any case, whatever parameters follow? */
bool exchange_media_is(const struct exchange *x, const char *want);
/* The one of these words that it is, in the arena; NULL: none. */
const char *exchange_media_among(const struct exchange *x, const char *words);

/* The whole body, at most max bytes: ERR_TOO_LARGE beyond. */
err exchange_body(struct ctx *c, struct exchange *x, size_t max, struct bytes *out);
/* The body streamed into fd. */
err exchange_body_to(struct ctx *c, struct exchange *x, int fd, size_t max, size_t *n);
/* Takes and forgets what is left of the body, so that a kept connection stays in step. */
void exchange_drain(struct exchange *x);

/* name=value pairs ("a=1&b=2", '+' is a space) as an object of strings; a repeated name gives an array. */
err exchange_pairs(struct ctx *c, const char *text, size_t n, const char *what, struct json **out);
/* Adds one of them; a second value under one name turns the first into an array. */
void exchange_add_pair(struct arena *a, struct json *obj, const char *name, const char *value);
/* Percent-decoding; NULL when an escape is bad, or the result is not UTF-8 or holds a NUL. */
const char *percent_decode(struct arena *a, const char *s, size_t n, bool plus_is_space);

/* The answer. Values with line breaks or control characters are refused by assert: nothing foreign may go into a header. */
void exchange_set(struct exchange *x, const char *name, const char *value);
void exchange_set_int(struct exchange *x, const char *name, int64_t value);
/* The answer's body is this memory, which outlives the request. */
void exchange_share(struct exchange *x, char *p, size_t n);
/* Sends head and body, once. */
void exchange_send(struct exchange *x);
/* For answers written piece by piece: the head goes out with the first piece. */
bool exchange_stream(struct exchange *x, const char *p, size_t n);
/* What was streamed so far is not kept back for more. */
void exchange_flush(struct exchange *x);

const char *http_reason(int status);

#endif
