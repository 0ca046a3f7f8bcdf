/* Fetching a page that somebody named: only from public addresses, checked before anything is sent and again at the socket. */
#ifndef LOCI_FETCH_H
#define LOCI_FETCH_H

#include "ctx.h"
#include "str.h"

#define FETCH_MAX (64 * 1024 * 1024) /* bytes, decoded */
#define FETCH_SECONDS 30
#define FETCH_REDIRECTS 5

struct fetched {
    int status;
    struct bytes body;
    const char *url;                          /* after redirects */
    const char *media, *etag, *last_modified; /* NULL: not said */
};

/* What is wrong with an address, as a sentence's end; NULL: nothing that can be seen. */
const char *fetch_fault(struct ctx *c, const char *url);
/* An exception of the operator's (fetch.allow). */
bool fetch_is_listed(struct ctx *c, const char *url);
/* etag, last_modified: of the copy that is there (304: it is the same); NULL: none. ERR_INVALID with the reason fetch_refused: the
 * address, or one that it leads to, may not be called. */
err fetch_url(struct ctx *c, const char *url, const char *etag, const char *last_modified, struct fetched *out);
/* "host:port:address,address", as curl pins names: all its addresses may be called. NULL: the host is an address. */
err fetch_pin(struct ctx *c, const char *url, const char **pin);

#endif
