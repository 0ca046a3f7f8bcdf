/* What services ask of names and slugs, whoever calls them; calls over REST and MCP were checked by their fields before. */
#ifndef LOCI_INPUT_CHECK_H
#define LOCI_INPUT_CHECK_H

#include "ctx.h"

/* 1 to LIMIT_NAME code points. */
err check_name(struct ctx *c, const char *pointer, const char *name);
err check_slug(struct ctx *c, const char *pointer, const char *slug);
/* Something like an address; *out is the form that is kept: lower case. */
err check_email(struct ctx *c, const char *pointer, const char *email, const char **out);

#endif
