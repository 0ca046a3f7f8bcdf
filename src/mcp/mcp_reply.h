/* How an answer goes out over HTTP: as JSON, or as a stream of events when something comes before it. */
#ifndef LOCI_MCP_REPLY_H
#define LOCI_MCP_REPLY_H

#include "exchange.h"
#include "mcp_impl.h"

/* Opens the way for notifications and questions where the client takes a stream and wants some. */
void mcp_reply_prepare(struct ctx *c, struct exchange *x, struct mcp *m);
/* The answer, with the status of the fault if there is one. */
void mcp_reply(struct ctx *c, struct exchange *x, struct mcp *m, struct json *message);
/* An answer of the client to a question of ours, which another request waits for. */
err mcp_reply_take(struct ctx *c, const struct mcp *m);

#endif
