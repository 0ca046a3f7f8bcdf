/* The Model Context Protocol over the call table: one JSON-RPC message in, one out, whatever carries them. */
#ifndef LOCI_MCP_H
#define LOCI_MCP_H

#include "op.h"
#include "router.h"

/* POST /mcp. */
void mcp_add_routes(struct router *r);

/* The same table for a client that started this program: a message a line on `in` and `out`, until `in` ends. The token is
 * looked at anew with each message; tick is called about once a second, between messages. 0, or 1 when the token is none: c has
 * the fault. */
int mcp_stdio(struct ctx *c, const char *token, int in, int out, void (*tick)(struct ctx *c));

#endif
