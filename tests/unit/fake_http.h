/* A server on loopback, in a thread of the test, that answers as the test says. */
#ifndef LOCI_TESTS_FAKE_HTTP_H
#define LOCI_TESTS_FAKE_HTTP_H

#include <stddef.h>

struct fake_request {
    const char *path, *authorization, *body; /* "" where there is none */
};

struct fake_reply {
    int status;          /* 0: 200 */
    const char *body;    /* lives as long as the server; NULL: nothing */
    const char *headers; /* further lines, each with \r\n; NULL: none */
    int delay_ms;
    size_t filler; /* so many spaces before the body */
    int hang_up;   /* closes without an answer */
};

/* reply is called in the server's thread, one request after the other; *r is {0}. */
struct fake_http;
struct fake_http *fake_http_start(void (*reply)(const struct fake_request *q, struct fake_reply *r));
void fake_http_stop(struct fake_http *f);
/* "http://127.0.0.1:PORT" */
const char *fake_http_url(const struct fake_http *f);
/* Requests so far. */
int fake_http_count(const struct fake_http *f);

#endif
