/* Asking other servers over HTTP (libcurl): time-boxed by the request's deadline, bounded in size, never redirected. */
#ifndef LOCI_NET_H
#define LOCI_NET_H

#include "ctx.h"
#include "str.h"

struct net_answer {
    int status;
    struct bytes body;           /* in the request's arena */
};

/* ERR_PROVIDER when the server cannot be reached or answers more than max bytes, ERR_DEADLINE when it takes longer than
 * seconds, or than what is left of the deadline. An HTTP error status is an answer. */
err net_get(struct ctx *c, const char *url, int seconds, size_t max, struct net_answer *out);

#endif
