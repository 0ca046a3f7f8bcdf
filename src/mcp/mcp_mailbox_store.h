/* Answers of clients to questions of ours, in Redis: another process than the one that waits may get them. */
#ifndef LOCI_MCP_MAILBOX_STORE_H
#define LOCI_MCP_MAILBOX_STORE_H

#include "ctx.h"

/* From now on an answer to the question is kept, of this caller's token only. */
err mcp_mailbox_store_open(struct ctx *c, const char *id);
/* Nothing happens when nobody has asked. */
err mcp_mailbox_store_put(struct ctx *c, const char *id, const char *text);
/* *text is NULL when none came in time. */
err mcp_mailbox_store_wait(struct ctx *c, const char *id, int seconds, const char **text);

#endif
