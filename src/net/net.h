/* Asking other servers over HTTP (libcurl): time-boxed by the request's deadline, bounded in size, never redirected. */
#ifndef LOCI_NET_H
#define LOCI_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "str.h"

struct net_request {
    const char *url;            /* http or https */
    struct bytes body;          /* p NULL: GET; else POST of JSON */
    const char *const *headers; /* further ones, "Name: value", ended by NULL; NULL: none */
    const char *bearer;         /* sent as Authorization: Bearer; NULL or "": nothing is */
    int64_t ms;                 /* at most; never longer than what is left of the deadline */
    size_t max;                 /* bytes of an answer */
    /* Loopback, private and link-local addresses, too. They are looked at after the name is resolved, so that a name
     * cannot lead to where its address may not. */
    bool may_be_private;
};

struct net_answer {
    int status;
    int retry_after_s; /* 0: not said */
    struct bytes body; /* in the request's arena, with a NUL behind it */
};

/* ERR_PROVIDER when the server cannot be reached or answers more than max bytes, ERR_DEADLINE when it takes too long. An
 * HTTP error status is an answer. */
err net_ask(struct ctx *c, const struct net_request *r, struct net_answer *out);
/* GET of a server that may be anywhere. */
err net_get(struct ctx *c, const char *url, int seconds, size_t max, struct net_answer *out);

/* What is wrong with an address that somebody gave for us to call, as a sentence's end; NULL: nothing that can be seen. Where
 * private ones are not allowed it must be https, and a host that is written as an address is looked at. */
const char *net_url_fault(const char *url, bool may_be_private);

/* Connects once to a unix socket, or, where its path is empty, to host and port: where and why that fails ("127.0.0.1:3306:
 * Connection refused"), after 3 seconds at most for each address of the host; NULL: it works. */
const char *net_why_unreached(struct arena *a, const char *socket_path, const char *host, int64_t port);

/* Milliseconds left of the request's deadline, at most `most`. */
int64_t net_ms_left(const struct ctx *c, int64_t most);

/* Whether an address (struct sockaddr) is one that only this host or its own network knows. */
struct sockaddr;
bool net_is_private(const struct sockaddr *a);

#endif
