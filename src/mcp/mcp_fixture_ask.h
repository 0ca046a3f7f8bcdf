/* The fixtures of the conformance suite that ask the client. */
#ifndef LOCI_MCP_FIXTURE_ASK_H
#define LOCI_MCP_FIXTURE_ASK_H

#include "mcp_impl.h"

#define FIXTURE_ASKS(X) \
    X(sampling) X(elicitation) X(defaults) X(enums) X(input_name) X(input_sampling) X(input_roots) X(input_state) X(input_many) \
    X(input_rounds) X(input_tampered) X(input_capabilities)
#define FIXTURE_DECLARE_(name) err fixture_##name(struct ctx *c, struct mcp *m, const struct json *args, struct json **result);
FIXTURE_ASKS(FIXTURE_DECLARE_)

/* A text that the user gave to question `key`; NULL: none. */
const char *fixture_answer(const struct mcp *m, const char *key, const char *field);
/* A result that asks the user for one text. */
struct json *fixture_ask_one(struct ctx *c, const char *key, const char *message, const char *field);

#endif
