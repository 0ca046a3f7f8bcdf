/* What travels through a browser or an MCP client without being read or changed there: sealed with a key of this installation. */
#ifndef LOCI_SEAL_H
#define LOCI_SEAL_H

#include "ctx.h"
#include "json.h"

/* binding: what the text belongs to, such as a session; it opens with the same only. */
const char *seal(struct ctx *c, const char *binding, const struct json *what);
/* NULL: not ours, changed, bound to something else, or older than that. */
const struct json *seal_open(struct ctx *c, const char *binding, const char *text, int64_t max_age_us);

#endif
