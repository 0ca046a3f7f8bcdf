/* FastCGI over a socket that must not wait: one request of one connection, read and answered record by record. libfcgi reads
 * with a thread for each connection; those who listen have none (listen.h). */
#ifndef LOCI_FCGI_WIRE_H
#define LOCI_FCGI_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define FCGI_WIRE_MAX (128 * 1024) /* bytes of a request's parameters; nginx lets header fields of 32 KiB through */

struct fcgi_pair {
    const char *name, *value;
    struct fcgi_pair *next;
};

/* Of one connection. in: what has come and is not understood yet; out: what is to be sent. Both on the heap. */
struct fcgi_wire {
    unsigned char *in, *out;
    size_t n_in, cap_in;
    size_t n_out, cap_out, sent;
    unsigned char *params; /* as they came */
    size_t n_params, cap_params;
    uint16_t request; /* its number on the connection */
    bool begun, params_end, body_end;
    bool keeps; /* the other side wants the connection back; it does not get it */
};

enum fcgi_state { FCGI_MORE, FCGI_WHOLE, FCGI_BROKEN };

void fcgi_wire_done(struct fcgi_wire *w);
/* Takes bytes that have come. FCGI_WHOLE: the request is here with all its body, which is forgotten. */
enum fcgi_state fcgi_wire_take(struct fcgi_wire *w, const void *p, size_t n);
/* Its parameters, once it is whole, in the arena; NULL: they are malformed, or there are none. */
struct fcgi_pair *fcgi_wire_params(const struct fcgi_wire *w, struct arena *a);
/* Adds to the answer … */
void fcgi_wire_write(struct fcgi_wire *w, const void *p, size_t n);
/* … and ends it. */
void fcgi_wire_end(struct fcgi_wire *w);

#endif
