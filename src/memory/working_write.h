/* What the services of working memory share. */
#ifndef LOCI_WORKING_WRITE_H
#define LOCI_WORKING_WRITE_H

#include "access.h"
#include "working.h"
#include "working_store.h"

/* Have the ids of the scope their form, and may the caller do this with the agent's memory? */
err working_enter(struct ctx *c, const struct working_scope *s, enum access_level level);
/* JSON as it is kept. */
err working_value_text(struct ctx *c, const struct json *value, const char **out);
/* What the store said of a write, as an answer or a refusal. */
err working_written(struct ctx *c, const char *key, const struct working_written *w, struct working_stored *out);

#endif
