/* What an MCP message over HTTP says in its headers, which must be what its body says. */
#ifndef LOCI_MCP_HEADERS_H
#define LOCI_MCP_HEADERS_H

#include "config.h"
#include "exchange.h"
#include "mcp_impl.h"

/* A Host header: one of the names that this installation has. */
bool mcp_host_allowed(const struct config *conf, const char *host);
/* An Origin header: a page at one of those names, or on the CORS list. */
bool mcp_origin_allowed(const struct config *conf, const char *origin);
/* Era, version, Mcp-Method, Mcp-Name and Mcp-Param-*. */
err mcp_check_headers(struct ctx *c, struct exchange *x, struct mcp *m);

#endif
