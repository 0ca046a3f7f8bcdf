/* Tags as people type them: trimmed, without case, each once. */
#ifndef LOCI_TAGS_H
#define LOCI_TAGS_H

#include "ctx.h"
#include "json.h"
#include "list.h"

#define TAGS_MAX 32
#define TAG_CHARS 64 /* of one, in code points */

/* ERR_INVALID naming the place below pointer. */
err tags_clean(struct ctx *c, const char *pointer, struct strs in, struct strs *out);
/* Of a node's attrs, as it is stored. */
struct strs tags_of(struct arena *a, const struct json *attrs);
/* Those of x and then of y, each once; and those of x that are not in y. */
struct strs tags_with(struct arena *a, struct strs x, struct strs y);
struct strs tags_without(struct arena *a, struct strs x, struct strs y);

#endif
